import {
  Args,
  ArgsType,
  Authorized,
  Ctx,
  Field,
  FieldResolver,
  Float,
  ID,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { addCharge, canPay } from '../../../platform/credits/index.ts';
import { clock } from '../../../platform/database/index.ts';
import { Limited } from '../../../platform/input/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { creditsSpent } from '../../../platform/telemetry/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { findAgent } from '../agents/service.ts';
import { Source } from '../sources/entity.ts';
import { embeddingPrice, MAX_PASSAGES, rankPassages, retrievalTestCharge, withinTokens } from './retrieve.ts';

@ObjectType({ description: 'A passage that a question finds, with the reasons.' })
class FoundPassage {
  @Field(() => ID)
  id!: string;

  @Field(() => Source)
  source?: Source;

  sourceId!: string;

  @Field(() => enumTypes.SourceType)
  type!: EnumValue<'SourceType'>;

  @Field(() => String, { nullable: true, description: 'The page that contains the passage.' })
  url!: string | null;

  @Field(() => String, { nullable: true, description: 'The title of the page.' })
  title!: string | null;

  @Field(() => Int, { nullable: true, description: 'The page of a PDF on which the passage begins, from 1.' })
  page!: number | null;

  @Field(() => [String], { description: 'The headings above the passage, outermost first.' })
  headings!: string[];

  @Field(() => String)
  text!: string;

  @Field(() => Boolean, { description: 'Whether the passage reads like instructions to the agent.' })
  suspicious!: boolean;

  @Field(() => Int, { description: 'Tokens that count against `maxRetrievalTokens`.' })
  tokens!: number;

  @Field(() => Float, { description: 'The fused rank, comparable within one question.' })
  score!: number;

  @Field(() => Int, { nullable: true, description: 'Place by shared words, from 1.' })
  wordRank!: number | null;

  @Field(() => [String], { description: 'Words that the passage shares with the question, reduced to their stems; rarest first.' })
  words!: string[];

  @Field(() => Int, { nullable: true, description: 'Place by similarity of meaning, from 1.' })
  vectorRank!: number | null;

  @Field(() => Float, { nullable: true, description: 'Cosine similarity, at most 1; null if 60 other passages are nearer.' })
  similarity!: number | null;

  @Field(() => Boolean, { description: 'Whether the passage fits into `maxRetrievalTokens` and reaches the model.' })
  included!: boolean;
}

@ObjectType({ description: 'The passages that an agent retrieves for a question.' })
class RetrievalTest {
  @ListSize(MAX_PASSAGES)
  @Field(() => [FoundPassage], { description: 'At most 60 passages, best first.' })
  passages!: FoundPassage[];

  @Field(() => Int, { description: 'Tokens of the included passages.' })
  tokens!: number;

  @Field(() => Int, { description: 'The token limit of the agent.' })
  maxRetrievalTokens!: number;
}

@ArgsType()
class TestRetrievalArguments {
  @Field(() => ID)
  agentId!: string;

  @Limited({ minLength: 1, maxLength: 4_000 })
  @Field(() => String)
  question!: string;
}

@Resolver(() => FoundPassage)
export class RetrievalResolver {
  @Authorized('admin')
  @Query(() => RetrievalTest, {
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
