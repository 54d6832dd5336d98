import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, Field, Int, ObjectType } from 'type-graphql';
import { clock, OfWorkspace, Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A group of sites within an organization.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'site_content', tableName: 'workspaces' })
@OfWorkspace('id')
export class Workspace extends Owned {
  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => String, { description: 'Unique within the organization.' })
  @Property({ type: 'string', length: 64 })
  slug!: string;

  @Field(() => Int, { description: 'Increases with every edit.' })
  @Property({ type: 'integer' })
  version: Opt<number> = 1;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
