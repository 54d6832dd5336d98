import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import { CursorPageOf, cursorArguments } from '../../common/cursor.ts';
import { ListSize } from '../../common/list-size.ts';
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

@ArgsType()
export class UploadedFilesArguments extends cursorArguments(20) {}
