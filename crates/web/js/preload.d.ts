/** A script for the head of a page: it exports nothing. See docs/static-sites.md. */
export {};
