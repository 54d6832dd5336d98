import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { PageOf, pageArguments } from '../../common/page.ts';
import { Job } from './entity.ts';
import { JobItem } from './item-entity.ts';

@ArgsType()
export class JobsArguments extends pageArguments(10) {
  @Field(() => wordTypes.JobKind)
  kind!: Word<'JobKind'>;
}

@ArgsType()
export class JobItemsArguments extends pageArguments(20) {
  @Field(() => ID)
  jobId!: string;

  @Field(() => wordTypes.JobKind, { nullable: true, description: 'Refuse jobs of another kind.' })
  kind?: Word<'JobKind'>;
}

@InputType({ description: 'Where a job pauses, until it is continued.' })
export class JobLimits {
  @Limited({ min: 1, max: 5_000 })
  @Field(() => Int, { nullable: true, description: 'After the first items.' })
  sample?: number | null;

  @Limited({ min: 0, max: 1e9 })
  @Field(() => Float, { nullable: true, description: 'Before it takes more credits than this.' })
  maxCredits?: number | null;

  @Limited({ min: 0, max: 1 })
  @Field(() => Float, { nullable: true, description: 'Once a greater share of its items has failed, after at least ten.' })
  maxErrorRate?: number | null;
}

@ObjectType()
export class JobPage extends PageOf(Job, 'JobPage') {}

@ObjectType()
export class JobItemPage extends PageOf(JobItem, 'JobItemPage') {
  @Field(() => Job)
  job!: Job;
}

@ObjectType({ description: 'Changes of a job in order, those of a moment folded into one.' })
export class JobUpdate {
  @Field(() => Int, { description: 'The last change in this update; name it as `after` to go on from here.' })
  sequence!: number;

  @Field(() => wordTypes.JobStatus)
  status!: Word<'JobStatus'>;

  @Field(() => Int)
  processedCount!: number;

  @Field(() => Int)
  successCount!: number;

  @Field(() => Int)
  failedCount!: number;

  @Field(() => Date)
  at!: Date;

  jobId!: string;
  itemIds!: string[];
}
