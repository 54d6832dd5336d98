import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { clock, OfWorkspace, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({ description: 'A site of a workspace. Members see only published sites; owners and admins also see drafts.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'site_content', tableName: 'sites' })
@OfWorkspace('workspaceId')
export class Site extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  workspaceId!: string;

  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => String, { description: 'Unique within the workspace.' })
  @Property({ type: 'string', length: 64 })
  slug!: string;

  @Field(() => enumTypes.SiteStatus)
  @Property({ type: 'string' })
  status: Opt<EnumValue<'SiteStatus'>> = 'draft';

  @Field(() => Date, { nullable: true, description: 'When the site was last published; null for a draft.' })
  @Property({ type: 'datetime', nullable: true })
  publishedAt: Date | null = null;

  @Field(() => Int, { description: 'Increases with every edit.' })
  @Property({ type: 'integer' })
  version: Opt<number> = 1;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date)
  @Property({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}
