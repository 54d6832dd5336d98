import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, ObjectType } from 'type-graphql';
import { clock, FieldProperty, OfWorkspace, Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A group of sites within an organization.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'site_content', tableName: 'workspaces' })
@OfWorkspace('id')
export class Workspace extends Owned {
  @FieldProperty({ type: 'string', length: 255 })
  name!: string;

  @FieldProperty({ type: 'string', length: 64, description: 'Unique within the organization.' })
  slug!: string;

  @FieldProperty({ type: 'integer', description: 'Increases with every edit.' })
  version: Opt<number> = 1;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
