import { Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { CursorPageOf, cursorArguments, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { SNAPSHOT } from '../../../platform/progress/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Job, JobItem } from './entity.ts';

export class JobsArguments extends args(cursorArguments(10), {
  kind: field(enumTypes.JobKind, { nullable: true }),
  status: list(enumTypes.JobStatus, { nullable: true, description: 'Any of these statuses.' }),
  createdBy: field(ID, { nullable: true, description: 'The user who created the jobs.' }),
  createdSince: field(Date, { nullable: true, description: 'Created at this time or later.' }),
  createdBefore: field(Date, { nullable: true, description: 'Created before this time.' }),
}) {}

export class JobItemsArguments extends args(pageArguments(20), {
  jobId: field(ID),
  kind: field(enumTypes.JobKind, { nullable: true, description: 'A job of another kind is treated as not found.' }),
}) {}

@InputType({ description: 'Limits at which a job pauses until `continueJob` resumes it.' })
export class JobLimits extends input({
  sample: field(Int, { min: 1, max: 5_000, nullable: true, description: 'Pause after this number of items.' }),
  maxCredits: field(Float, {
    min: 0,
    max: 1e9,
    nullable: true,
    description: 'Pause before the job spends more credits than this.',
  }),
  maxErrorRate: field(Float, {
    min: 0,
    max: 1,
    nullable: true,
    description: 'Pause when the share of failed items exceeds this rate, from the tenth item on.',
  }),
  minConfidence: field(Float, {
    min: 0,
    max: 100,
    nullable: true,
    description: 'Pause when the mean calibrated confidence of the values found so far falls below this, from the tenth item on.',
  }),
}) {}

@ObjectType({ description: 'One page of jobs.' })
export class JobPage extends CursorPageOf(Job, 'JobPage') {}

@ObjectType({ description: 'One page of job items.' })
export class JobItemPage extends output(PageOf(JobItem, 'JobItemPage'), {
  job: field(Job),
}) {}

@ObjectType({ description: 'One or more consecutive changes of a job, or its current state.' })
export class JobUpdate extends output({
  sequence: field(
    Int,
    'Number of the last change in this update. Pass it as `after` to resume from here. 0 while further updates of a snapshot follow.',
  ),
  isSnapshot: field(Boolean, SNAPSHOT),
  status: field(enumTypes.JobStatus),
  processedCount: field(Int, 'Items that have completed or failed.'),
  successCount: field(Int),
  failedCount: field(Int),
  at: field(Date, 'Time of the last change in this update.'),
}) {
  jobId!: string;

  itemIds!: string[];
}
