import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Source } from '../sources/entity.ts';
import { MAX_PASSAGES } from './retrieve.ts';

@ObjectType({ description: 'A passage that a question finds, with the reasons.' })
export class FoundPassage {
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

  @Field(() => [String], { description: 'The headings above the passage, outermost first.' })
  headings!: string[];

  @Field(() => String)
  text!: string;

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
export class RetrievalTest {
  @ListSize(MAX_PASSAGES)
  @Field(() => [FoundPassage], { description: 'At most 60 passages, best first.' })
  passages!: FoundPassage[];

  @Field(() => Int, { description: 'Tokens of the included passages.' })
  tokens!: number;

  @Field(() => Int, { description: 'The token limit of the agent.' })
  maxRetrievalTokens!: number;
}
