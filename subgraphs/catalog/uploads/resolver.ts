import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { Idempotent } from '../../common/idempotency/idempotent.ts';
import type { RequestScope } from '../../common/scope.ts';
import * as uploads from './service.ts';
import { UploadedFiles } from './types.ts';

@Resolver()
export class UploadResolver {
  @Authorized('member')
  @Idempotent({ prepares: true })
  @Mutation(() => UploadedFiles, { description: 'Take up files whose bytes the REST endpoint has stored.' })
  uploadFiles(
    @Ctx() scope: RequestScope,
    @Arg('files', () => [ID], { description: 'What the store called them.' }) files: string[],
  ) {
    return uploads.uploadFiles(scope, files);
  }
}
