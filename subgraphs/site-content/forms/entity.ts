import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import { type FormField, formFieldType } from '../../../platform/input/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { SiteRecord } from '../content/entity.ts';

export const SiteFormField = formFieldType('SiteFormField', 'One field of a form of a site.');

@ObjectType({ description: 'A form on the pages of a site.' })
@Entity({ schema: 'site_content', tableName: 'forms' })
export class SiteForm extends SiteRecord {
  @Field(() => String, { description: 'Unique within the site.' })
  @Property({ type: 'string', length: 255 })
  name!: string;

  @ListSize(20)
  @Field(() => [SiteFormField])
  @Property({ type: 'json' })
  fields!: FormField[];
}

@ObjectType({ description: 'A form of a site that a visitor filled in.' })
@Entity({ schema: 'site_content', tableName: 'submissions' })
export class SiteFormSubmission extends Owned {
  @Property({ type: 'uuid' })
  siteId!: string;

  @Field(() => ID)
  @Property({ type: 'uuid' })
  formId!: string;

  @Field(() => ID, { nullable: true, description: 'The page with the form, if the visitor named it.' })
  @Property({ type: 'uuid', nullable: true })
  pageId: string | null = null;

  @Field(() => GraphQLJSONObject, { description: 'The values by field name.' })
  @Property({ type: 'json' })
  values!: Record<string, unknown>;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  submittedAt: Opt<Date> = clock.now();
}
