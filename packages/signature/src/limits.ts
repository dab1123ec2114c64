/** Node accepts no more headers than this. */
export const MAX_SIGNED_HEADERS = 1000;

/** More than any client announces. */
export const MAX_TRAILERS = 100;
