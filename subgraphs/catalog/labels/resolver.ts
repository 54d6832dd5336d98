import { Arg, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { findJob } from '../jobs/service.ts';
import { readFilePage } from './label-file.ts';
import { type LabelSubject, subjects } from './subjects.ts';
import { FilePage } from './types.ts';

@Resolver()
export class EnrichmentFileResolver {
  @Authorized('member')
  @Query(() => FilePage, {
    nullable: true,
    description: 'The rows of a brand or category job with the values filled in, one page at a time.',
  })
  async enrichmentFile(
    @Ctx() scope: RequestScope,
    @Id('jobId') jobId: string,
    @Arg('kind', () => enumTypes.JobKind, { nullable: true, description: 'A job of another kind is treated as not found.' })
    kind?: EnumValue<'JobKind'>,
    @Arg('after', () => String, { nullable: true, description: 'The `next` of the previous page.' }) after?: string | null,
  ): Promise<FilePage> {
    const job = await findJob(scope, jobId, kind);
    const subject = (Object.keys(subjects) as LabelSubject[]).find((each) => subjects[each].kind === job.kind);
    if (!subject) throw fail('INVALID_INPUT', 'only jobs over brands and categories have a file');
    return readFilePage(scope, subject, job, after);
  }
}
