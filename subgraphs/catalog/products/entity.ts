import { Directive, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';

@ObjectType({ description: 'A product of the catalog. A parent groups variants.' })
@Directive('@key(fields: "id")')
@Table('catalog.products')
export class Product extends columns(Owned, {
  sku: column('string', { length: 64, description: 'Unique within the organization.' }),
  name: column('string', { length: 256 }),
  manufacturer: column('string', { nullable: true, length: 256 }),
  mpn: column('string', { nullable: true, length: 128, description: 'Manufacturer part number.' }),
  uom: column('string', { nullable: true, length: 128, description: 'Unit of measure.' }),
  brand: column('string', { nullable: true, length: 128, description: 'Name of the brand, as free text.' }),
  category: column('text', { nullable: true, description: 'Name of the category, as free text.' }),
  externalId: column('text', { nullable: true, description: "The caller's own identifier. Unique within the organization." }),
  parentId: column('uuid', { nullable: true, description: 'The parent of a variant.' }),
  isParent: column('boolean', { initial: false, description: 'Whether the product groups variants.' }),
  enriched: column('boolean', { initial: false, description: 'Whether an enrichment of the product has completed.' }),
  archived: column('boolean', {
    initial: false,
    description: 'Lists, searches of agents, statistics and completeness leave archived products out.',
  }),
  userProvidedRawDataSources: hidden('array', { initial: [], lazy: true }),
  attributes: hidden('json', { initial: {}, lazy: true }).as<AttributeValues>(),
  /** The origin of each value by attribute slug. Values written by callers have none. */
  provenance: hidden('json', { initial: {}, lazy: true }).as<Provenances>(),
  createdAt: column('datetime', { initial: clock.now }),
  updatedAt: column('datetime', {
    initial: (row: { createdAt: Date }) => row.createdAt,
    onUpdate: clock.now,
    description: 'For a variant, this also changes shortly after its parent is renamed or deleted.',
  }),
}) {}

@ObjectType({ description: 'A deleted product that can be restored.' })
@Table('catalog.deleted_products')
export class RestorableProduct extends columns(Owned, {
  sku: column('string'),
  name: column('string'),
  brand: column('string', { nullable: true }),
  category: column('text', { nullable: true }),
  deletedById: hidden('uuid', { nullable: true }),
  deletedAt: column('datetime'),
}) {}
