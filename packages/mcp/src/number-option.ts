/**
 * A numeric option, or what stands for it where it is left out.
 *
 * @throws TypeError that names the option, where it is no whole number from `atLeast` on
 */
export function numberOption(option: string, value: number | undefined, otherwise: number, atLeast: 0 | 1 = 1): number {
  if (value === undefined) return otherwise;
  if (Number.isSafeInteger(value) && value >= atLeast) return value;
  throw new TypeError(`${option} must be a whole number, at least ${atLeast}; leave it out for ${otherwise}`);
}
