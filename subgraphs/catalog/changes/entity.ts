import { ObjectType } from 'type-graphql';
import { column, columns, hidden, Table, Tenant } from '../../../platform/database/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';

/** The latest change of a record. Triggers write it; a reader of the feed numbers it. */
@ObjectType({ description: 'The latest change of a product, brand or category.' })
@Table('catalog.changes')
@Tenant()
export class CatalogChange extends columns({
  recordId: column('uuid', { primary: true, description: 'The id of the changed record.' }),
  organizationId: hidden('uuid'),
  subject: column(enumTypes.CatalogSubject, { type: 'text' }),
  /** Increases in the order of the commits of the organization. Null until a reader numbers the change. */
  number: hidden('count', { nullable: true }),
  deleted: column('boolean', 'Whether the record was deleted. A deletion is listed for 90 days.'),
  sku: column('text', { nullable: true, description: 'The last SKU of a product, also after its deletion.' }),
  externalId: column('text', { nullable: true, description: 'The last external id of a product, also after its deletion.' }),
  at: column('datetime', 'When the transaction of the change began.'),
}) {}

/** The state of the feed of an organization. */
@Table('catalog.change_counters')
@Tenant()
export class ChangeCounter extends columns({
  organizationId: hidden('uuid', { primary: true }),
  last: hidden('count'),
  forgotten: hidden('count'),
}) {}
