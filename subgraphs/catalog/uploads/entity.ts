import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { ArgsType, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { FieldProperty, Owned } from '../../../platform/database/index.ts';
import { CursorPageOf, cursorArguments, ListSize } from '../../../platform/lists/index.ts';

@ObjectType({ description: 'A file that was uploaded as a source for jobs or for an import.' })
@Entity({ schema: 'catalog', tableName: 'files' })
export class UploadedFile extends Owned {
  @FieldProperty({ type: 'string', length: 255, description: 'As the client sent it.' })
  name!: string;

  @FieldProperty({ type: 'text', description: 'Media type.' })
  mime!: string;

  @FieldProperty({ type: 'bigint', runtimeType: 'number', description: 'Size in bytes.' })
  bytes!: number;

  /** False until a mutation has read the file. */
  @Property({ type: 'boolean' })
  ready!: boolean;

  @Property({ type: 'uuid' })
  createdById!: string;

  @FieldProperty({ type: 'datetime' })
  createdAt!: Date;
}

@ObjectType({ description: 'Why a file was rejected.' })
class FileError {
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
