import type { RequestContext } from 'compiled-gateway';
import type { Admission, Admit } from '../../schema/request.ts';
import type { Accepted } from './accept.ts';

/** Cost of an operation that counts as one more point. */
const COST_PER_POINT = 1_000;

/** What a GraphQL request requires before its operation is known. It counts one point. */
export const REQUIREMENT = { access: 'public', counter: 'graphql' } as const;

/** Count the points of an expensive operation. Returns undefined for a cheap one, whose request is counted already. */
export async function chargeOperation(
  admit: Admit | undefined,
  context: RequestContext,
  { cost }: Accepted,
  variables: Readonly<Record<string, unknown>> | null | undefined,
): Promise<Admission | undefined> {
  const points = Math.min(Math.floor(cost(variables ?? {}) / COST_PER_POINT), 1_000_000);
  return points > 0 ? admit?.(context, { ...REQUIREMENT, points }) : undefined;
}
