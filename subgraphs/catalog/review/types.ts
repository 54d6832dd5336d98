import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { PageOf, pageArguments } from '../../common/page.ts';
import { AttributeContentScalar } from '../attributes/values.ts';
import { Proposal } from './entity.ts';

@InputType({ description: 'The verdict on one value that a job wrote.' })
export class Decision {
  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { description: 'The slug of the attribute.' })
  slug!: string;

  @Field(() => wordTypes.ReviewVerdict, { description: 'Let it be, write another value, or bring back the one of before.' })
  verdict!: Word<'ReviewVerdict'>;

  @Field(() => AttributeContentScalar, { nullable: true, description: 'The value to write instead; required to edit.' })
  value?: unknown;
}

@ArgsType()
export class Review {
  @Field(() => ID, { description: 'A completed item of a job.' })
  itemId!: string;

  @Limited({ minItems: 1, maxItems: 500 })
  @Field(() => [Decision], { description: 'At most one per attribute. The service applies all of them or none.' })
  decisions!: Decision[];
}

@ArgsType()
export class ReviewQueueArguments extends pageArguments(20) {
  @Field(() => ID)
  jobId!: string;
}

@ObjectType({ description: 'One page of values to review.' })
export class ProposalPage extends PageOf(Proposal, 'ProposalPage') {}
