/** Default limit of a request body, in bytes. */
export const defaultBodyLimit = 10_485_760;
