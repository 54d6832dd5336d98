const signedOut = ['MISSING_KEY', 'INVALID_KEY', 'UNKNOWN_KEY'];
const temporary = ['RATE_LIMITED', 'INTERNAL_SERVER_ERROR', 'UNAVAILABLE'];

/** Whether the server does not accept the session or the token. */
export const isSignedOutCode = (code: string): boolean => signedOut.includes(code);
/** Whether the same operation may succeed later. */
export const isTemporaryCode = (code: string): boolean => temporary.includes(code);
