import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { FieldProperty, Owned } from '../../../platform/database/index.ts';

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
