const forbidden = ['FORBIDDEN', 'NO_ACCESS', 'PLAN_REQUIRED'];

/** Whether the caller lacks the permission. */
export const isForbiddenCode = (code: string): boolean => forbidden.includes(code);
/** Whether the data do not exist for the caller, so that a retry fails too. */
export const isExcludedCode = (code: string): boolean => isForbiddenCode(code) || code === 'NOT_FOUND';
