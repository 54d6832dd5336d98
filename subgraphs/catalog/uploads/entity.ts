import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, Int, ObjectType } from 'type-graphql';
import { Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A file that was uploaded as a source for jobs or for an import.' })
@Entity({ schema: 'catalog', tableName: 'files' })
export class UploadedFile extends Owned {
  @Field(() => String, { description: 'As the client sent it.' })
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => String, { description: 'Media type.' })
  @Property({ type: 'text' })
  mime!: string;

  @Field(() => Int, { description: 'Size in bytes.' })
  @Property({ type: 'bigint', runtimeType: 'number' })
  bytes!: number;

  /** False until a mutation has read the file. */
  @Property({ type: 'boolean' })
  ready!: boolean;

  @Property({ type: 'uuid' })
  createdById!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt!: Date;
}
