import { requireReachable } from '../../../platform/outbound/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { NewSource } from './types.ts';

const CONTENTS = ['url', 'text', 'qa'] as const;
/** Characters of all questions and answers. */
const MAX_QA = 2_000_000;
/** Characters of the address that a source stores. A longer one does not fit the index of its pages. */
const MAX_URL = 2_048;

/** Checks that a new source has the content of its type and no other. Resolves the host of a URL. Throws `INVALID_INPUT`. */
export async function checkContent(scope: Scope, input: NewSource): Promise<void> {
  const { type, url, qa, refreshInterval } = input;
  for (const name of CONTENTS) {
    const isSent = input[name] !== undefined && input[name] !== null;
    if (name === type && !isSent) refuse(`${name} is required for the type ${type}`);
    if (name !== type && isSent) refuse(`${name} must be absent for the type ${type}`);
  }
  if (refreshInterval && type !== 'url') requireUrl();
  const size = qa?.reduce((sum, { question, answer }) => sum + question.length + answer.length, 0) ?? 0;
  if (size > MAX_QA) refuse(`qa must be at most ${MAX_QA} characters in total`);
  if (!url) return;
  if ((URL.parse(url)?.href.length ?? 0) > MAX_URL) refuse(`url must be at most ${MAX_URL} characters when it is percent-encoded`);
  await requireReachable(scope, url);
}

/** Throws `INVALID_INPUT`: only pages can be read again. */
export const requireUrl = (): never => refuse('refreshInterval is only for the type url');

function refuse(fault: string): never {
  throw fail('INVALID_INPUT', fault);
}
