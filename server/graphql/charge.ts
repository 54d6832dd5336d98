import type { RequestContext } from 'compiled-gateway';
import type { Admission, Admit } from '../../schema/request.ts';
import type { Accepted } from './accept.ts';

/** Cost of an operation that counts as one more point. */
const COST_PER_POINT = 1_000;

/** Fields of a new document that count as one more point. Planning blocks the thread, so documents that never repeat are expensive. */
const NEW_FIELDS_PER_POINT = 10;

/** The access and the rate limit of a GraphQL request before its operation is known. It counts one point. */
export const REQUIREMENT = { access: 'public', counter: 'graphql' } as const;

interface ChargeOptions {
  admit?: Admit;
  /** Maximum cost of an operation. */
  limit: number;
}

/**
 * Count the points of an expensive operation, or of a new one with many fields. Returns undefined if there are none, because the request is
 * counted already, and for an operation above the limit, which does not run.
 */
export async function chargeOperation(
  { admit, limit }: ChargeOptions,
  context: RequestContext,
  { cost, fields, isPlanned }: Accepted,
  variables: Readonly<Record<string, unknown>> | null | undefined,
): Promise<Admission | undefined> {
  const requested = cost(variables ?? {});
  if (requested > limit) return undefined;
  const points = Math.floor(requested / COST_PER_POINT) + (isPlanned ? 0 : Math.floor(fields / NEW_FIELDS_PER_POINT));
  return points > 0 ? admit?.(context, { ...REQUIREMENT, points }) : undefined;
}

/**
 * The refusal of a caller who may use none of the fields of an operation, because it is no member of the organization of the request. Only
 * for a caller with a key.
 * @param organizationId of the request; none if it was not admitted to one
 */
export async function refusalOf(
  admit: Admit | undefined,
  context: RequestContext,
  { need }: Accepted,
  organizationId: string | null | undefined,
): Promise<Admission['refusal']> {
  if (need !== 'organization' || organizationId) return null;
  return (await admit?.(context, { ...REQUIREMENT, access: 'organization', level: 'member', points: 0 }))?.refusal;
}
