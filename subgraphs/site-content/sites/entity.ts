import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, ObjectType } from 'type-graphql';
import { clock, FieldProperty, OfWorkspace, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({ description: 'A site of a workspace. Members see only published sites; owners and admins also see drafts.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'site_content', tableName: 'sites' })
@OfWorkspace('workspaceId')
export class Site extends Owned {
  @FieldProperty({ type: 'uuid' })
  workspaceId!: string;

  @FieldProperty({ type: 'string', length: 255 })
  name!: string;

  @FieldProperty({ type: 'string', length: 64, description: 'Unique within the workspace.' })
  slug!: string;

  @FieldProperty(() => enumTypes.SiteStatus, { type: 'string' })
  status: Opt<EnumValue<'SiteStatus'>> = 'draft';

  @FieldProperty({ type: 'datetime', nullable: true, description: 'When the site was last published; null for a draft.' })
  publishedAt: Date | null = null;

  @FieldProperty({ type: 'integer', description: 'Increases with every edit.' })
  version: Opt<number> = 1;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}
