/** The project that is there from the beginning: of whatever names no other. It can be renamed, and not archived. */
export const DEFAULT_PROJECT_ID = 0;
