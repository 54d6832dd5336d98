import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { clock, Deletion, FieldProperty, Owned, Tenant } from '../../../platform/database/index.ts';
import { Limited, NAME } from '../../../platform/input/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { AttributeType } from './attribute-content.ts';
import { AttributeTranslation, AttributeTranslationInput } from './translation.ts';

@ObjectType({ description: 'Limits of an attribute value. Jobs write only values that meet them.' })
@InputType('AttributeConstraintsInput', { description: 'Limits of an attribute value. Jobs write only values that meet them.' })
class AttributeConstraints {
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

  @ListSize(3)
  @FieldProperty(() => [AttributeTranslation], {
    type: 'json',
    description: 'Names and option labels in other languages. Imports recognize columns and cells by them.',
  })
  translations: Opt<AttributeTranslation[]> = [];

  @FieldProperty({
    type: 'double',
    nullable: true,
    description: 'The default of `autoAccept.precision` for this attribute. Null means that of the attribute set.',
  })
  autoAccept: number | null = null;

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

  @FieldProperty({
    type: 'double',
    nullable: true,
    description: 'The default of `autoAccept.precision` for jobs with this set. Null means that of the organization.',
  })
  autoAccept: number | null = null;

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

  @FieldProperty({ type: 'boolean', description: 'Whether a product needs a value to be complete.' })
  required: Opt<boolean> = false;
}

@ArgsType()
export class SubjectArguments {
  @Field(() => enumTypes.AttributeSubject, { defaultValue: 'product' })
  subject!: EnumValue<'AttributeSubject'>;
}

@InputType({ description: 'Changes to an attribute. Omitted fields stay unchanged; null clears `unit` and `categoryPrompt`.' })
export class AttributeChange {
  @Limited({ ...NAME, maxLength: 128 })
  @Field(() => String, { nullable: true })
  name?: string;

  @Limited({ maxLength: 4_000 })
  @Field(() => String, { nullable: true, description: 'Instruction for the model.' })
  prompt?: string;

  @Limited({ maxLength: 4_000 })
  @Field(() => String, { nullable: true, description: 'Instruction for the model that depends on the category.' })
  categoryPrompt?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Jobs skip inactive attributes.' })
  isActive?: boolean;

  @Limited({ maxItems: 500, maxLength: 1_000 })
  @Field(() => [String], { nullable: true, description: 'The labels of a select or multiselect. If empty, any text is allowed.' })
  options?: string[];

  @Limited({ maxItems: 20, maxLength: 200 })
  @Field(() => [String], { nullable: true, description: 'Typical values, which the model receives as examples.' })
  examples?: string[];

  @Limited({ maxLength: 32 })
  @Field(() => String, { nullable: true, description: 'Unit of a number, for example `kg`.' })
  unit?: string | null;

  @Field(() => AttributeConstraints, { nullable: true })
  constraints?: AttributeConstraints;

  @Limited({ maxItems: 20 })
  @Field(() => [AttributeTranslationInput], {
    nullable: true,
    description: 'Replaces the names and option labels in other languages.',
  })
  translations?: AttributeTranslationInput[];
}

@InputType({ description: 'The settings of a new attribute.' })
export class NewAttribute extends AttributeChange {
  @Limited({ ...NAME, maxLength: 128 })
  @Field(() => String)
  declare name: string;

  @Field(() => enumTypes.AttributeSubject, { defaultValue: 'product' })
  subject!: EnumValue<'AttributeSubject'>;

  @Limited({ minLength: 1, maxLength: 128, pattern: /^[a-z0-9][a-z0-9_-]*$/ })
  @Field(() => String, { description: 'Stable key of the attribute. Unique per subject.' })
  slug!: string;

  @Field(() => enumTypes.AttributeType, { description: 'Only product attributes can be dates.' })
  type!: AttributeType;
}

@ArgsType()
export class NewAttributeSet {
  @Limited(NAME)
  @Field(() => String, { description: 'Unique per subject.' })
  name!: string;

  @Field(() => enumTypes.AttributeSubject, { defaultValue: 'product' })
  subject!: EnumValue<'AttributeSubject'>;

  @Limited({ maxItems: 500 })
  @Field(() => [ID], { description: 'Attributes of the same subject, in display order.' })
  attributeIds!: string[];

  @Limited({ maxItems: 500 })
  @Field(() => [ID], { defaultValue: [], description: 'Those of `attributeIds` that a product needs to be complete.' })
  requiredAttributeIds!: string[];
}

@ArgsType()
export class AttributeSetChange {
  @Field(() => ID)
  id!: string;

  @Limited(NAME)
  @Field(() => String, { nullable: true, description: 'Unique per subject.' })
  name?: string;

  @Limited({ maxItems: 500 })
  @Field(() => [ID], { nullable: true, description: 'Replaces the current attributes, in display order.' })
  attributeIds?: string[];

  @Limited({ maxItems: 500 })
  @Field(() => [ID], {
    nullable: true,
    description:
      'Replaces the attributes that a product needs to be complete. If omitted, those that stay in the set stay required.',
  })
  requiredAttributeIds?: string[] | null;
}

@ObjectType({ description: 'Confirms a deletion.' })
export class Deleted extends Deletion {}
