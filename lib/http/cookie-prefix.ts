/** What the names of this product's own cookies begin with, before a dot. */
export const SIGN_IN_COOKIE_PREFIX = 'tidemark';
