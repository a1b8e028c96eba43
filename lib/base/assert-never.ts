/** Makes the compiler prove that a closed union was handled whole. */
export function assertNever(value: never): never {
  throw new TypeError(`unhandled variant: ${JSON.stringify(value)}`);
}
