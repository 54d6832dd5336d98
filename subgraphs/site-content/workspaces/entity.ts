import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { Tenant } from '../../common/tenant.ts';

@ObjectType({ description: 'A group of sites of an organization.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'site_content', tableName: 'workspaces' })
@Tenant()
export class Workspace {
  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  id: Opt<string> = uuid();

  @Property({ type: 'uuid' })
  organizationId!: string;

  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => String, { description: 'Unique within the organization.' })
  @Property({ type: 'string', length: 64 })
  slug!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = new Date();
}
