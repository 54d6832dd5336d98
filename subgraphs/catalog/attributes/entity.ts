import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { clock, Owned, Tenant } from '../../../platform/database/index.ts';
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
  @Field(() => String)
  @Property({ type: 'string', length: 128 })
  name!: string;

  @Field(() => enumTypes.AttributeSubject)
  @Property({ type: 'string' })
  subject: Opt<EnumValue<'AttributeSubject'>> = 'product';

  @Field(() => String, { description: 'Stable key of the attribute. Unique per subject.' })
  @Property({ type: 'string', length: 128 })
  slug!: string;

  @Field(() => enumTypes.AttributeType)
  @Property({ type: 'string' })
  type!: AttributeType;

  @Field(() => String, { description: 'Instruction for the model.' })
  @Property({ type: 'text' })
  prompt: Opt<string> = '';

  @Field(() => String, { nullable: true, description: 'Instruction for the model that depends on the category.' })
  @Property({ type: 'text', nullable: true })
  categoryPrompt: string | null = null;

  @Field(() => Boolean, { description: 'Jobs skip inactive attributes.' })
  @Property({ type: 'boolean' })
  isActive: Opt<boolean> = true;

  @Field(() => [String], { description: 'The labels of a select or multiselect. If empty, any text is allowed.' })
  @Property({ type: 'array' })
  options: Opt<string[]> = [];

  @Field(() => [String], { description: 'Typical values, which the model receives as examples.' })
  @Property({ type: 'array' })
  examples: Opt<string[]> = [];

  @Field(() => String, { nullable: true, description: 'Unit of a number, for example `kg`.' })
  @Property({ type: 'string', length: 32, nullable: true })
  unit: string | null = null;

  @Field(() => AttributeConstraints)
  @Property({ type: 'json' })
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

  @Field(() => enumTypes.AttributeSubject)
  @Property({ type: 'string' })
  subject: Opt<EnumValue<'AttributeSubject'>> = 'product';

  @Field(() => String, { description: 'Unique per subject.' })
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => ID)
  @Property({ type: 'uuid' })
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

  @Field(() => Int, { description: 'Starts at 0.' })
  @Property({ type: 'integer' })
  order!: number;

  @Field(() => Boolean, { description: 'Whether a product needs a value to be complete.' })
  @Property({ type: 'boolean' })
  required: Opt<boolean> = false;
}
