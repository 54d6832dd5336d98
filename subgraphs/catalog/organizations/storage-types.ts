import { Field, Float, ObjectType } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';
import { wordTypes } from '../../../schema/scalars.ts';
import { type Word, words } from '../../../schema/words.ts';
import { FileStorage } from '../uploads/types.ts';

@ObjectType({ description: 'The storage that one kind of data takes.' })
export class StorageUseOfKind {
  @Field(() => wordTypes.StorageKind)
  kind!: Word<'StorageKind'>;

  @Field(() => Float)
  bytes!: number;
}

@ObjectType({
  description: 'The storage that an organization takes. Bytes are those of the content, with an allowance for each row.',
})
export class OrganizationStorage {
  @Field(() => Float, { description: 'Bytes of all kinds of data.' })
  bytes!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'The quota. Writes beyond it fail with `STORAGE_FULL`, and so do items of jobs; deletions always work. Null if there is none.',
  })
  limit!: number | null;

  @ListSize(words.StorageKind.values.length)
  @Field(() => [StorageUseOfKind], { description: 'All kinds of data.' })
  kinds!: StorageUseOfKind[];

  @Field(() => FileStorage, { description: 'Uploaded files, which have a quota of their own.' })
  files!: FileStorage;
}
