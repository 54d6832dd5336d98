import { Field, ID, ObjectType } from 'type-graphql';
import { ListSize } from '../../common/list-size.ts';

@ObjectType({ description: 'Why one file could not be taken.' })
export class FileError {
  @Field(() => String, { description: 'As it was sent.' })
  fileName!: string;

  @Field(() => String, { description: 'In words for the sender.' })
  error!: string;
}

@ObjectType({ description: 'What became of uploaded files, each by itself.' })
export class UploadedFiles {
  @Field(() => Boolean, { description: 'Whether every file was taken.' })
  success!: boolean;

  @Field(() => [ID], { description: 'The files that were taken, for `uploadedFileIds` of a job.' })
  uploadedFileIds!: string[];

  // As many as files may be sent at once.
  @ListSize(20)
  @Field(() => [FileError], { nullable: true, description: 'Null when every file was taken.' })
  errors!: FileError[] | null;
}
