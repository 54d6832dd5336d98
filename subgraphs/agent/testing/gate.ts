import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';

/**
 * Why content must not be published for an agent; null if it may be. Its last completed run of exactly this content must cover all cases of
 * the required set, with the required share and without a regression.
 */
export async function refusalOf(
  { em }: Pick<Scope, 'em'>,
  { agentId, contentOf }: { agentId: string; contentOf: string },
): Promise<string | null> {
  const [found] = await query(
    em,
    sql<{ refusal: string | null }>`select agent.publish_refusal(${agentId}, agent.content_hash(${contentOf})) as refusal`,
  );
  return found!.refusal;
}
