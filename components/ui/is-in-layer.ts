/** Whether a key press belongs to what floats over the page (menu, popover, dialog), which handles it itself. */
export function isInLayer({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('[data-radix-popper-content-wrapper], [role="dialog"]') !== null;
}
