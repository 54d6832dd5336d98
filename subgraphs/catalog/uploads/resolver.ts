import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import * as uploads from './service.ts';
import { UploadedFiles } from './types.ts';

@Resolver()
export class UploadResolver {
  @Authorized('member')
  @Idempotent({ prepares: true })
  @Mutation(() => UploadedFiles, { description: 'Read files that the REST endpoint has stored, so that jobs can use them.' })
  uploadFiles(
    @Ctx() scope: RequestScope,
    @Arg('files', () => [ID], { description: 'Ids that the REST endpoint assigned to the stored files.' }) files: string[],
  ) {
    return uploads.uploadFiles(scope, files);
  }
}
