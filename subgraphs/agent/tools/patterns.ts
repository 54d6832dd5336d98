import { RE2JS } from 're2js';

/** Compile a regular expression of a user for an engine that runs in linear time. Throws for lookaround and backreferences. */
export const linearPattern = (source: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(source));
