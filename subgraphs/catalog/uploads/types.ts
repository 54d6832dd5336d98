import { ArgsType, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { CursorPageOf, cursorArguments, ListSize } from '../../../platform/lists/index.ts';
import { UploadedFile } from './entity.ts';

@ObjectType({ description: 'Why a file was rejected.' })
export class FileError {
  @Field(() => String, { description: 'As the client sent it.' })
  fileName!: string;

  @Field(() => String, { description: 'Readable reason.' })
  error!: string;
}

@ObjectType({ description: 'The result of an upload. Each file is accepted or rejected independently.' })
export class UploadedFiles {
  @Field(() => Boolean, { description: 'Whether all files were accepted.' })
  success!: boolean;

  @Field(() => [ID], { description: 'The accepted files, for the `uploadedFileIds` of a job.' })
  uploadedFileIds!: string[];

  // Maximum number of files per upload.
  @ListSize(20)
  @Field(() => [FileError], { nullable: true, description: 'Null if all files were accepted.' })
  errors!: FileError[] | null;
}

@ObjectType({ description: 'One page of uploaded files.' })
export class UploadedFilePage extends CursorPageOf(UploadedFile, 'UploadedFilePage') {}

@ObjectType({ description: 'The storage that the uploaded files of an organization take.' })
export class FileStorage {
  @Field(() => Float, { description: 'Bytes of the files and of the text read from them.' })
  bytes!: number;

  @Field(() => Float, { description: 'Maximum of `bytes`. Uploads beyond it fail with `LIMIT_REACHED`.' })
  limit!: number;

  @Field(() => Int, {
    description: 'Days after which a file is deleted, counted from the end of the last job that used it, or else its upload.',
  })
  retentionDays!: number;
}

@ArgsType()
export class UploadedFilesArguments extends cursorArguments(20) {}
