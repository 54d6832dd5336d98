import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';

@ObjectType({ description: 'A product of the catalog. A parent groups variants.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'catalog', tableName: 'products' })
export class Product extends Owned {
  @FieldProperty({ type: 'string', length: 64, description: 'Unique within the organization.' })
  sku!: string;

  @FieldProperty({ type: 'string', length: 256 })
  name!: string;

  @FieldProperty({ type: 'string', length: 256, nullable: true })
  manufacturer: string | null = null;

  @FieldProperty({ type: 'string', length: 128, nullable: true, description: 'Manufacturer part number.' })
  mpn: string | null = null;

  @FieldProperty({ type: 'string', length: 128, nullable: true, description: 'Unit of measure.' })
  uom: string | null = null;

  @FieldProperty({ type: 'string', length: 128, nullable: true, description: 'Name of the brand, as free text.' })
  brand: string | null = null;

  @FieldProperty({ type: 'text', nullable: true, description: 'Name of the category, as free text.' })
  category: string | null = null;

  @FieldProperty({ type: 'text', nullable: true, description: "The caller's own identifier. Unique within the organization." })
  externalId: string | null = null;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The parent of a variant.' })
  parentId: string | null = null;

  @FieldProperty({ type: 'boolean', description: 'Whether the product groups variants.' })
  isParent: Opt<boolean> = false;

  @FieldProperty({ type: 'boolean', description: 'Whether an enrichment of the product has completed.' })
  enriched: Opt<boolean> = false;

  @FieldProperty({
    type: 'boolean',
    description: 'Lists, searches of agents, statistics and completeness leave archived products out.',
  })
  archived: Opt<boolean> = false;

  @Property({ type: 'array', lazy: true })
  userProvidedRawDataSources: Opt<string[]> = [];

  @Property({ type: 'json', lazy: true })
  attributes: Opt<AttributeValues> = {};

  /** The origin of each value by attribute slug. Values written by callers have none. */
  @Property({ type: 'json', lazy: true })
  provenance: Opt<Provenances> = {};

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({
    type: 'datetime',
    onUpdate: () => clock.now(),
    description: 'For a variant, this also changes shortly after its parent is renamed or deleted.',
  })
  updatedAt: Opt<Date> = this.createdAt;
}
