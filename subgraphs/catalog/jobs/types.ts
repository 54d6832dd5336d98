import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { CursorPageOf, cursorArguments, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { SNAPSHOT } from '../../../platform/progress/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Job, JobItem } from './entity.ts';

@ArgsType()
export class JobsArguments extends cursorArguments(10) {
  @Field(() => enumTypes.JobKind, { nullable: true })
  kind?: EnumValue<'JobKind'> | null;

  @Field(() => [enumTypes.JobStatus], { nullable: true, description: 'Any of these statuses.' })
  status?: EnumValue<'JobStatus'>[] | null;

  @Field(() => ID, { nullable: true, description: 'The user who created the jobs.' })
  createdBy?: string | null;

  @Field(() => Date, { nullable: true, description: 'Created at this time or later.' })
  createdSince?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Created before this time.' })
  createdBefore?: Date | null;
}

@ArgsType()
export class JobItemsArguments extends pageArguments(20) {
  @Field(() => ID)
  jobId!: string;

  @Field(() => enumTypes.JobKind, { nullable: true, description: 'A job of another kind is treated as not found.' })
  kind?: EnumValue<'JobKind'>;
}

@InputType({ description: 'Limits at which a job pauses until `continueJob` resumes it.' })
export class JobLimits {
  @Limited({ min: 1, max: 5_000 })
  @Field(() => Int, { nullable: true, description: 'Pause after this number of items.' })
  sample?: number | null;

  @Limited({ min: 0, max: 1e9 })
  @Field(() => Float, { nullable: true, description: 'Pause before the job spends more credits than this.' })
  maxCredits?: number | null;

  @Limited({ min: 0, max: 1 })
  @Field(() => Float, {
    nullable: true,
    description: 'Pause when the share of failed items exceeds this rate, from the tenth item on.',
  })
  maxErrorRate?: number | null;

  @Limited({ min: 0, max: 100 })
  @Field(() => Float, {
    nullable: true,
    description: 'Pause when the mean calibrated confidence of the values found so far falls below this, from the tenth item on.',
  })
  minConfidence?: number | null;
}

@ObjectType({ description: 'One page of jobs.' })
export class JobPage extends CursorPageOf(Job, 'JobPage') {}

@ObjectType({ description: 'One page of job items.' })
export class JobItemPage extends PageOf(JobItem, 'JobItemPage') {
  @Field(() => Job)
  job!: Job;
}

@ObjectType({ description: 'One or more consecutive changes of a job, or its current state.' })
export class JobUpdate {
  @Field(() => Int, {
    description:
      'Number of the last change in this update. Pass it as `after` to resume from here. 0 while further updates of a snapshot follow.',
  })
  sequence!: number;

  @Field(() => Boolean, { description: SNAPSHOT })
  isSnapshot!: boolean;

  @Field(() => enumTypes.JobStatus)
  status!: EnumValue<'JobStatus'>;

  @Field(() => Int, { description: 'Items that have completed or failed.' })
  processedCount!: number;

  @Field(() => Int)
  successCount!: number;

  @Field(() => Int)
  failedCount!: number;

  @Field(() => Date, { description: 'Time of the last change in this update.' })
  at!: Date;

  jobId!: string;
  itemIds!: string[];
}
