import { addCharge, canPay } from '../../../platform/credits/index.ts';
import { clock } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { creditsSpent } from '../../../platform/telemetry/index.ts';
import { fail } from '../../../schema/errors.ts';
import { findAgent } from '../agents/service.ts';
import { embeddingPrice, rankPassages, retrievalTestCharge, withinTokens } from './retrieve.ts';
import type { RetrievalTest } from './types.ts';

/** Shows what a question finds and why, and charges it. Throws `NOT_FOUND`, and `OUT_OF_CREDITS` without credits. */
export async function testRetrieval(scope: Scope, agentId: string, question: string): Promise<RetrievalTest> {
  const { id, maxRetrievalTokens } = await findAgent(scope, agentId);
  const price = embeddingPrice(1);
  // Spare the provider requests that cannot be charged.
  if (!(await canPay(scope, price))) throw outOfCredits();
  const ranked = await rankPassages(scope, id, question);
  // Last, so that a failed or interrupted request costs nothing.
  if (!(await addCharge(scope, retrievalTestCharge(clock.now())))) throw outOfCredits();
  creditsSpent.inc({ kind: 'retrieval-test' }, price);
  const included = new Set(withinTokens(ranked, maxRetrievalTokens));
  return {
    passages: ranked.map((passage) => ({ ...passage, included: included.has(passage) })),
    tokens: [...included].reduce((sum, { tokens }) => sum + tokens, 0),
    maxRetrievalTokens,
  };
}

const outOfCredits = () => fail('OUT_OF_CREDITS', 'Credit limit reached. Please top up your credits to test the retrieval.');
