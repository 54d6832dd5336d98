import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { type FormField, formFieldType } from '../../../platform/input/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { SiteRecord } from '../content/entity.ts';

export const SiteFormField = formFieldType('SiteFormField', 'One field of a form of a site.');

@ObjectType({ description: 'A form on the pages of a site.' })
@Entity({ schema: 'site_content', tableName: 'forms' })
export class SiteForm extends SiteRecord {
  @FieldProperty({ type: 'string', length: 255, description: 'Unique within the site.' })
  name!: string;

  @ListSize(20)
  @FieldProperty(() => [SiteFormField], { type: 'json' })
  fields!: FormField[];
}

@ObjectType({ description: 'A form of a site that a visitor filled in.' })
@Entity({ schema: 'site_content', tableName: 'submissions' })
export class SiteFormSubmission extends Owned {
  @Property({ type: 'uuid' })
  siteId!: string;

  @FieldProperty({ type: 'uuid' })
  formId!: string;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The page with the form, if the visitor named it.' })
  pageId: string | null = null;

  @FieldProperty(() => GraphQLJSONObject, { type: 'json', description: 'The values by field name.' })
  values!: Record<string, unknown>;

  @FieldProperty({ type: 'datetime' })
  submittedAt: Opt<Date> = clock.now();
}
