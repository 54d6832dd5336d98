import { fail } from '../../schema/errors.ts';
import type { Scope } from '../scope/index.ts';
import { checkUrl } from './guard.ts';
import { OutboundRefused } from './refusal.ts';

/**
 * Reject a URL of a user that no request may call. Each request repeats the check. Throws `INVALID_INPUT` with the name of the field.
 * @param schemes default: http and https
 */
export async function requireReachable(
  { services: { allowHosts } }: Pick<Scope, 'services'>,
  url: string,
  field = 'url',
  schemes?: readonly string[],
): Promise<void> {
  await checkUrl(url, { allowHosts, schemes }).catch((error: unknown) => {
    throw error instanceof OutboundRefused ? fail('INVALID_INPUT', `${field} is refused: ${error.message}`) : error;
  });
}
