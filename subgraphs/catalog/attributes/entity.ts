import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { clock, FieldProperty, Owned, Tenant } from '../../../platform/database/index.ts';
import { Limited } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { AttributeType } from './attribute-content.ts';

@ObjectType({ description: 'Limits of an attribute value. Jobs write only values that meet them.' })
@InputType('AttributeConstraintsInput', { description: 'Limits of an attribute value. Jobs write only values that meet them.' })
export class AttributeConstraints {
  @Limited({ min: 0 })
  @Field(() => Int, { nullable: true, description: 'Characters of a text or HTML value.' })
  minLength?: number | null;

  @Limited({ min: 1 })
  @Field(() => Int, { nullable: true, description: 'Characters of a text or HTML value.' })
  maxLength?: number | null;

  @Field(() => Float, { nullable: true, description: 'Lower bound of a number.' })
  min?: number | null;

  @Field(() => Float, { nullable: true, description: 'Upper bound of a number.' })
  max?: number | null;

  @Limited({ min: 0 })
  @Field(() => Int, { nullable: true, description: 'Items of a multiselect, or keywords of a text in the format `keywords`.' })
  minItems?: number | null;

  @Limited({ min: 1 })
  @Field(() => Int, { nullable: true, description: 'Items of a multiselect, or keywords of a text in the format `keywords`.' })
  maxItems?: number | null;

  @Limited({ min: 0 })
  @Field(() => Int, { nullable: true, description: 'Words of a text or HTML value.' })
  minWords?: number | null;

  @Limited({ min: 1 })
  @Field(() => Int, { nullable: true, description: 'Words of a text or HTML value.' })
  maxWords?: number | null;

  @Field(() => enumTypes.TextFormat, { nullable: true, description: 'Applies to text and HTML values.' })
  format?: EnumValue<'TextFormat'> | null;
}

@ObjectType({ description: 'A property of products, brands or categories that jobs fill in.' })
@Entity({ schema: 'catalog', tableName: 'attributes' })
export class Attribute extends Owned {
  @FieldProperty({ type: 'string', length: 128 })
  name!: string;

  @FieldProperty(() => enumTypes.AttributeSubject, { type: 'string' })
  subject: Opt<EnumValue<'AttributeSubject'>> = 'product';

  @FieldProperty({ type: 'string', length: 128, description: 'Stable key of the attribute. Unique per subject.' })
  slug!: string;

  @FieldProperty(() => enumTypes.AttributeType, { type: 'string' })
  type!: AttributeType;

  @FieldProperty({ type: 'text', description: 'Instruction for the model.' })
  prompt: Opt<string> = '';

  @FieldProperty({ type: 'text', nullable: true, description: 'Instruction for the model that depends on the category.' })
  categoryPrompt: string | null = null;

  @FieldProperty({ type: 'boolean', description: 'Jobs skip inactive attributes.' })
  isActive: Opt<boolean> = true;

  @FieldProperty({ type: 'array', description: 'The labels of a select or multiselect. If empty, any text is allowed.' })
  options: Opt<string[]> = [];

  @FieldProperty({ type: 'array', description: 'Typical values, which the model receives as examples.' })
  examples: Opt<string[]> = [];

  @FieldProperty({ type: 'string', length: 32, nullable: true, description: 'Unit of a number, for example `kg`.' })
  unit: string | null = null;

  @FieldProperty(() => AttributeConstraints, { type: 'json' })
  constraints: Opt<AttributeConstraints> = {};

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ObjectType({ description: 'An ordered group of attributes.' })
@Entity({ schema: 'catalog', tableName: 'attribute_sets' })
@Tenant()
export class AttributeSet {
  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  id: Opt<string> = uuid();

  @FieldProperty(() => enumTypes.AttributeSubject, { type: 'string' })
  subject: Opt<EnumValue<'AttributeSubject'>> = 'product';

  @FieldProperty({ type: 'string', length: 255, description: 'Unique per subject.' })
  name!: string;

  @FieldProperty({ type: 'uuid' })
  organizationId!: string;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ObjectType({ description: 'The position of an attribute in a set.' })
@Entity({ schema: 'catalog', tableName: 'attribute_set_attributes' })
@Tenant()
export class AttributeSetAttribute {
  @PrimaryKey({ type: 'uuid' })
  attributeSetId!: string;

  @PrimaryKey({ type: 'uuid' })
  attributeId!: string;

  @Property({ type: 'uuid' })
  organizationId!: string;

  @FieldProperty({ type: 'integer', description: 'Starts at 0.' })
  order!: number;

  @Field(() => Boolean, { description: 'Whether a product needs a value to be complete.' })
  @Property({ type: 'boolean' })
  required: Opt<boolean> = false;
}
