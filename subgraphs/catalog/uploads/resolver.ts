import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { isId } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access, User } from '../../../platform/identity/index.ts';
import { listByCursor } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Deleted } from '../attributes/entity.ts';
import { FileStorage, UploadedFile, UploadedFilePage, UploadedFiles, UploadedFilesArguments } from './entity.ts';
import * as storage from './service.ts';
import * as uploads from './service.ts';

@Access('member')
@Resolver(() => UploadedFile)
export class UploadedFileResolver {
  @Query(() => UploadedFilePage, { description: 'The uploaded files of the organization, newest first.' })
  uploadedFiles(
    @Ctx() scope: RequestScope,
    @Args(() => UploadedFilesArguments) page: UploadedFilesArguments,
    @Info() info: GraphQLResolveInfo,
  ) {
    const orderBy = { createdAt: 'desc', id: 'desc' } as const;
    return listByCursor(scope, UploadedFile, { where: { ready: true }, orderBy }, page, info);
  }

  @Query(() => UploadedFile, { nullable: true, description: 'One uploaded file by id.' })
  async uploadedFile(@Ctx() scope: RequestScope, @Id() id: string) {
    const file = isId(id) ? await scope.load(UploadedFile, id.toLowerCase()) : null;
    if (!file?.ready) throw fail('NOT_FOUND', 'File not found');
    return file;
  }

  @Query(() => FileStorage, { description: 'The storage that the uploaded files of the organization take.' })
  fileStorage(@Ctx() scope: RequestScope) {
    return storage.fileStorage(scope);
  }

  @Mutation(() => Deleted, {
    description: 'Delete an uploaded file with its content. Fails with `CONFLICT` while a job that has not ended uses it.',
  })
  deleteUploadedFile(@Ctx() scope: RequestScope, @Id() id: string) {
    return storage.deleteFile(scope, id);
  }

  @FieldResolver(() => User, { nullable: true, description: 'The user who uploaded the file.' })
  createdBy(@Ctx() scope: RequestScope, @Root() { createdById }: UploadedFile) {
    return scope.load(User, createdById);
  }
}

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
