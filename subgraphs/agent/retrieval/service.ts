import type { Scope } from '../../common/scope.ts';
import { findAgent } from '../agents/service.ts';
import { rankPassages, withinTokens } from './retrieve.ts';
import type { RetrievalTest } from './types.ts';

/** Shows what a question finds and why. Throws `NOT_FOUND`. */
export async function testRetrieval(scope: Scope, agentId: string, question: string): Promise<RetrievalTest> {
  const { id, maxRetrievalTokens } = await findAgent(scope, agentId);
  const ranked = await rankPassages(scope, id, question);
  const included = new Set(withinTokens(ranked, maxRetrievalTokens));
  return {
    passages: ranked.map((passage) => ({ ...passage, included: included.has(passage) })),
    tokens: [...included].reduce((sum, { tokens }) => sum + tokens, 0),
    maxRetrievalTokens,
  };
}
