import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { PageOf, pageArguments } from '../../common/page.ts';
import { Proposal } from './entity.ts';

@InputType({ description: 'The verdict on one value that a job wrote.' })
export class Decision {
  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { description: 'The slug of the attribute.' })
  slug!: string;

  @Field(() => wordTypes.ReviewVerdict, {
    description: '`accept` changes nothing, `edit` writes `value`, `reject` restores the previous value.',
  })
  verdict!: Word<'ReviewVerdict'>;

  @Field(() => GraphQLJSON, { nullable: true, description: 'The value to write. Required for `edit`.' })
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
