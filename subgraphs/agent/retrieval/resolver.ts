import { Args, Authorized, Ctx, FieldResolver, Float, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { addCharge, canPay } from '../../../platform/credits/index.ts';
import { clock } from '../../../platform/database/index.ts';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { creditsSpent } from '../../../platform/telemetry/index.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { findAgent } from '../agents/service.ts';
import { Source } from '../sources/entity.ts';
import { embeddingPrice, MAX_PASSAGES, rankPassages, retrievalTestCharge, withinTokens } from './retrieve.ts';

@ObjectType({ description: 'A passage that a question finds, with the reasons.' })
class FoundPassage extends output({
  id: field(ID),
  source: field(Source).as<Source | undefined>(),
  type: field(enumTypes.SourceType),
  url: field(String, { nullable: true, description: 'The page that contains the passage.' }),
  title: field(String, { nullable: true, description: 'The title of the page.' }),
  page: field(Int, { nullable: true, description: 'The page of a PDF on which the passage begins, from 1.' }),
  headings: list(String, 'The headings above the passage, outermost first.'),
  text: field(String),
  suspicious: field(Boolean, 'Whether the passage reads like instructions to the agent.'),
  tokens: field(Int, 'Tokens that count against `maxRetrievalTokens`.'),
  score: field(Float, 'The fused rank, comparable within one question.'),
  wordRank: field(Int, { nullable: true, description: 'Place by shared words, from 1.' }),
  words: list(String, 'Words that the passage shares with the question, reduced to their stems; rarest first.'),
  vectorRank: field(Int, { nullable: true, description: 'Place by similarity of meaning, from 1.' }),
  similarity: field(Float, { nullable: true, description: 'Cosine similarity, at most 1; null if 60 other passages are nearer.' }),
  included: field(Boolean, 'Whether the passage fits into `maxRetrievalTokens` and reaches the model.'),
}) {
  sourceId!: string;
}

@ObjectType({ description: 'The passages that an agent retrieves for a question.' })
class RetrievalTest extends output({
  passages: list(FoundPassage, { assumedSize: MAX_PASSAGES, description: 'At most 60 passages, best first.' }),
  tokens: field(Int, 'Tokens of the included passages.'),
  maxRetrievalTokens: field(Int, 'The token limit of the agent.'),
}) {}

class TestRetrievalArguments extends args({
  agentId: field(ID),
  question: field(String, { minLength: 1, maxLength: 4_000 }),
}) {}

@Resolver(() => FoundPassage)
export class RetrievalResolver {
  @Authorized('admin')
  @Query(() => RetrievalTest, {
    nullable: true,
    description: 'The passages that an agent would answer a question from, and why each was found. Costs 0.001 credits.',
  })
  testRetrieval(@Ctx() scope: RequestScope, @Args(() => TestRetrievalArguments) { agentId, question }: TestRetrievalArguments) {
    return testRetrieval(scope, agentId, question);
  }

  @FieldResolver(() => Source)
  source(@Ctx() scope: RequestScope, @Root() { sourceId }: FoundPassage) {
    return scope.load(Source, sourceId);
  }
}

/** Shows what a question finds and why, and charges it. Throws `NOT_FOUND`, and `OUT_OF_CREDITS` without credits. */
async function testRetrieval(scope: Scope, agentId: string, question: string): Promise<RetrievalTest> {
  const { id, draftOf, maxRetrievalTokens } = await findAgent(scope, agentId);
  const price = embeddingPrice(1);
  // Spare the provider requests that cannot be charged.
  if (!(await canPay(scope, price))) throw outOfCredits();
  const ranked = await rankPassages(scope, draftOf ?? id, question);
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
