import { validate } from 'uuid';

/** Whether text can be an id of ours. What cannot is unknown, and must not reach the database, which would refuse the query. */
export const isId = (text: string): boolean => validate(text);

/** The spelling of an id that the database gives: callers may write it in capitals. */
export const canonicalId = (text: string): string => (isId(text) ? text.toLowerCase() : text);
