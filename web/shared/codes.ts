const signedOut = ['MISSING_KEY', 'INVALID_KEY', 'UNKNOWN_KEY'];
const temporary = ['RATE_LIMITED', 'INTERNAL_SERVER_ERROR', 'UNAVAILABLE'];

/** Whether the server does not accept the session or the token. */
export const isSignedOutCode = (code: string): boolean => signedOut.includes(code);
/** Whether the same operation may succeed later. */
export const isTemporaryCode = (code: string): boolean => temporary.includes(code);

const forbidden = ['FORBIDDEN', 'NO_ACCESS', 'PLAN_REQUIRED'];

/** Whether the caller lacks the permission. */
export const isForbiddenCode = (code: string): boolean => forbidden.includes(code);
/** Whether the data do not exist for the caller, so that a retry fails too. */
export const isExcludedCode = (code: string): boolean => isForbiddenCode(code) || code === 'NOT_FOUND';
