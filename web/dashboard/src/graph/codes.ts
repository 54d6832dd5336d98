const forbidden = ['FORBIDDEN', 'NO_ACCESS', 'PLAN_REQUIRED'];
const signedOut = ['MISSING_KEY', 'INVALID_KEY', 'UNKNOWN_KEY'];

/** Whether the caller lacks the permission. */
export const isForbiddenCode = (code: string): boolean => forbidden.includes(code);
/** Whether the data do not exist for the caller, so that a retry fails too. */
export const isExcludedCode = (code: string): boolean => isForbiddenCode(code) || code === 'NOT_FOUND';
/** Whether the server does not accept the session. */
export const isSignedOutCode = (code: string): boolean => signedOut.includes(code);
