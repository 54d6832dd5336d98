import { GraphQLJSONObject } from 'graphql-scalars';
import { ID, InputType, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { args, changeOf, type FormField, field, formFieldType, input, list, output } from '../../../platform/fields/index.ts';
import { SiteListArguments, SiteRecord, TITLE } from '../content/entity.ts';
import { ListOf } from '../site-list.ts';

const SiteFormField = formFieldType('SiteFormField', 'One field of a form of a site.');

@ObjectType({ description: 'A form on the pages of a site.' })
@Table('site_content.forms')
export class SiteForm extends columns(SiteRecord, {
  name: column('string', { length: 255, description: 'Unique within the site.' }),
  fields: column([SiteFormField], { type: 'json', assumedSize: 20 }).as<FormField[]>(),
}) {}

@ObjectType({ description: 'A form of a site that a visitor filled in.' })
@Table('site_content.submissions')
export class SiteFormSubmission extends columns(Owned, {
  siteId: hidden('uuid'),
  formId: column('uuid'),
  pageId: column('uuid', { nullable: true, description: 'The page with the form, if the visitor named it.' }),
  values: column(GraphQLJSONObject, { type: 'json', description: 'The values by field name.' }).as<Record<string, unknown>>(),
  submittedAt: column('datetime', { initial: clock.now }),
}) {}

@InputType({ description: 'A form of a site to create.' })
export class NewSiteForm extends input({
  name: field(String, { ...TITLE, description: 'Unique within the site.' }),
  fields: list(SiteFormField, { minItems: 1, maxItems: 50 }).as<FormField[]>(),
}) {}

@InputType({ description: 'Changes to a form of a site. Fields that are omitted or null stay unchanged.' })
export class SiteFormChange extends changeOf(NewSiteForm, {
  descriptions: { fields: 'Earlier submissions stay as they were received.' },
}) {}

export class SiteFormSubmissionsArguments extends args(SiteListArguments, {
  formId: field(ID),
}) {}

export class SubmissionOfVisitor extends args({
  siteId: field(ID),
  formId: field(ID),
  values: field(GraphQLJSONObject, 'The values by field name. Unknown names are rejected.').as<Record<string, unknown>>(),
  pageId: field(ID, { nullable: true, description: 'The page with the form.' }),
  honeypot: field(String, {
    maxLength: 1_000,
    nullable: true,
    description: 'The value of a field that people do not see. A submission that fills it in is confirmed, but not stored.',
  }),
}) {}

@ObjectType({ description: 'Confirms that a submission was received.' })
export class SubmissionReceipt extends output({
  id: field(ID),
  submittedAt: field(Date),
}) {}

@ObjectType({ description: 'One page of forms of a site.' })
export class SiteFormList extends ListOf(SiteForm, 'SiteFormList') {}

@ObjectType({ description: 'One page of submissions of a form.' })
export class SiteFormSubmissionList extends ListOf(SiteFormSubmission, 'SiteFormSubmissionList') {}
