/** Gutters are the same in plot, lanes, sessions and minimap, so that one clock runs through all of them. */
export const GUTTER = { left: 76, right: 62 } as const;
export const PHONE_GUTTER = { left: 64, right: 44 } as const;
