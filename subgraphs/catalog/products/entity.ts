import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';

@ObjectType({ description: 'A product of the catalog. A parent groups variants.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'catalog', tableName: 'products' })
export class Product extends Owned {
  @Field(() => String, { description: 'Unique within the organization.' })
  @Property({ type: 'string', length: 64 })
  sku!: string;

  @Field(() => String)
  @Property({ type: 'string', length: 256 })
  name!: string;

  @Field(() => String, { nullable: true })
  @Property({ type: 'string', length: 256, nullable: true })
  manufacturer: string | null = null;

  @Field(() => String, { nullable: true, description: 'Manufacturer part number.' })
  @Property({ type: 'string', length: 128, nullable: true })
  mpn: string | null = null;

  @Field(() => String, { nullable: true, description: 'Unit of measure.' })
  @Property({ type: 'string', length: 128, nullable: true })
  uom: string | null = null;

  @Field(() => String, { nullable: true, description: 'Name of the brand, as free text.' })
  @Property({ type: 'string', length: 128, nullable: true })
  brand: string | null = null;

  @Field(() => String, { nullable: true, description: 'Name of the category, as free text.' })
  @Property({ type: 'text', nullable: true })
  category: string | null = null;

  @Field(() => String, { nullable: true, description: "The caller's own identifier. Unique within the organization." })
  @Property({ type: 'text', nullable: true })
  externalId: string | null = null;

  @Field(() => ID, { nullable: true, description: 'The parent of a variant.' })
  @Property({ type: 'uuid', nullable: true })
  parentId: string | null = null;

  @Field(() => Boolean, { description: 'Whether the product groups variants.' })
  @Property({ type: 'boolean' })
  isParent: Opt<boolean> = false;

  @Field(() => Boolean, { description: 'Whether an enrichment of the product has completed.' })
  @Property({ type: 'boolean' })
  enriched: Opt<boolean> = false;

  @Property({ type: 'array', lazy: true })
  userProvidedRawDataSources: Opt<string[]> = [];

  @Property({ type: 'json', lazy: true })
  attributes: Opt<AttributeValues> = {};

  /** The origin of each value by attribute slug. Values written by callers have none. */
  @Property({ type: 'json', lazy: true })
  provenance: Opt<Provenances> = {};

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date, { description: 'Of a variant, this also changes soon after its parent gets another name or is deleted.' })
  @Property({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}
