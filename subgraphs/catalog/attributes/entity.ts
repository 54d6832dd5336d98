import { Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { clock, column, columns, Deletion, hidden, Owned, Table, Tenant } from '../../../platform/database/index.ts';
import { args, field, input, list, NAME, shared } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { AttributeType } from './attribute-content.ts';
import { AttributeTranslation, AttributeTranslationInput } from './translation.ts';

@ObjectType({ description: 'Limits of an attribute value. Jobs write only values that meet them.' })
@InputType('AttributeConstraintsInput', { description: 'Limits of an attribute value. Jobs write only values that meet them.' })
class AttributeConstraints extends shared({
  minLength: field(Int, { min: 0, optional: true, description: 'Characters of a text or HTML value.' }),
  maxLength: field(Int, { min: 1, optional: true, description: 'Characters of a text or HTML value.' }),
  min: field(Float, { optional: true, description: 'Lower bound of a number.' }),
  max: field(Float, { optional: true, description: 'Upper bound of a number.' }),
  minItems: field(Int, {
    min: 0,
    optional: true,
    description: 'Items of a multiselect, or keywords of a text in the format `keywords`.',
  }),
  maxItems: field(Int, {
    min: 1,
    optional: true,
    description: 'Items of a multiselect, or keywords of a text in the format `keywords`.',
  }),
  minWords: field(Int, { min: 0, optional: true, description: 'Words of a text or HTML value.' }),
  maxWords: field(Int, { min: 1, optional: true, description: 'Words of a text or HTML value.' }),
  format: field(enumTypes.TextFormat, { optional: true, description: 'Applies to text and HTML values.' }),
}) {}

@ObjectType({ description: 'A property of products, brands or categories that jobs fill in.' })
@Table('catalog.attributes')
export class Attribute extends columns(Owned, {
  name: column('string', { length: 128 }),
  subject: column(enumTypes.AttributeSubject, { initial: 'product' }),
  slug: column('string', { length: 128, description: 'Stable key of the attribute. Unique per subject.' }),
  type: column(enumTypes.AttributeType).as<AttributeType>(),
  prompt: column('text', { initial: '', description: 'Instruction for the model.' }),
  categoryPrompt: column('text', { nullable: true, description: 'Instruction for the model that depends on the category.' }),
  isActive: column('boolean', { initial: true, description: 'Jobs skip inactive attributes.' }),
  options: column('array', { initial: [], description: 'The labels of a select or multiselect. If empty, any text is allowed.' }),
  examples: column('array', { initial: [], description: 'Typical values, which the model receives as examples.' }),
  unit: column('string', { nullable: true, length: 32, description: 'Unit of a number, for example `kg`.' }),
  constraints: column(AttributeConstraints, { type: 'json', initial: {} }),
  translations: column([AttributeTranslation], {
    type: 'json',
    initial: [],
    assumedSize: 3,
    description: 'Names and option labels in other languages. Imports recognize columns and cells by them.',
  }),
  autoAccept: column('double', {
    nullable: true,
    description: 'The default of `autoAccept.precision` for this attribute. Null means that of the attribute set.',
  }),
  createdAt: hidden('datetime', { initial: clock.now }),
}) {}

@ObjectType({ description: 'An ordered group of attributes.' })
@Table('catalog.attribute_sets')
@Tenant()
export class AttributeSet extends columns({
  id: column('uuid', { primary: true, initial: () => uuid() }),
  subject: column(enumTypes.AttributeSubject, { initial: 'product' }),
  name: column('string', { length: 255, description: 'Unique per subject.' }),
  organizationId: column('uuid'),
  autoAccept: column('double', {
    nullable: true,
    description: 'The default of `autoAccept.precision` for jobs with this set. Null means that of the organization.',
  }),
  createdAt: hidden('datetime', { initial: clock.now }),
}) {}

@ObjectType({ description: 'The position of an attribute in a set.' })
@Table('catalog.attribute_set_attributes')
@Tenant()
export class AttributeSetAttribute extends columns({
  attributeSetId: hidden('uuid', { primary: true }),
  attributeId: hidden('uuid', { primary: true }),
  organizationId: hidden('uuid'),
  order: column('integer', 'Starts at 0.'),
  required: column('boolean', { initial: false, description: 'Whether a product needs a value to be complete.' }),
}) {}

export class SubjectArguments extends args({
  subject: field(enumTypes.AttributeSubject, { defaultValue: 'product' }),
}) {}

@InputType({ description: 'Changes to an attribute. Omitted fields stay unchanged; null clears `unit` and `categoryPrompt`.' })
export class AttributeChange extends input({
  name: field(String, { ...NAME, maxLength: 128, nullable: true }),
  prompt: field(String, { maxLength: 4_000, nullable: true, description: 'Instruction for the model.' }),
  categoryPrompt: field(String, {
    maxLength: 4_000,
    nullable: true,
    description: 'Instruction for the model that depends on the category.',
  }),
  isActive: field(Boolean, { nullable: true, description: 'Jobs skip inactive attributes.' }),
  options: list(String, {
    maxItems: 500,
    maxLength: 1_000,
    nullable: true,
    description: 'The labels of a select or multiselect. If empty, any text is allowed.',
  }),
  examples: list(String, {
    maxItems: 20,
    maxLength: 200,
    nullable: true,
    description: 'Typical values, which the model receives as examples.',
  }),
  unit: field(String, { maxLength: 32, nullable: true, description: 'Unit of a number, for example `kg`.' }),
  constraints: field(AttributeConstraints, { nullable: true }),
  translations: list(AttributeTranslationInput, {
    maxItems: 20,
    nullable: true,
    description: 'Replaces the names and option labels in other languages.',
  }),
}) {}

@InputType({ description: 'The settings of a new attribute.' })
export class NewAttribute extends input(AttributeChange, {
  name: field(String, { ...NAME, maxLength: 128 }),
  subject: field(enumTypes.AttributeSubject, { defaultValue: 'product' }),
  slug: field(String, {
    minLength: 1,
    maxLength: 128,
    pattern: /^[a-z0-9][a-z0-9_-]*$/,
    description: 'Stable key of the attribute. Unique per subject.',
  }),
  type: field(enumTypes.AttributeType, 'Only product attributes can be dates.').as<AttributeType>(),
}) {}

export class NewAttributeSet extends args({
  name: field(String, { ...NAME, description: 'Unique per subject.' }),
  subject: field(enumTypes.AttributeSubject, { defaultValue: 'product' }),
  attributeIds: list(ID, { maxItems: 500, description: 'Attributes of the same subject, in display order.' }),
  requiredAttributeIds: list(ID, {
    maxItems: 500,
    defaultValue: [],
    description: 'Those of `attributeIds` that a product needs to be complete.',
  }),
}) {}

export class AttributeSetChange extends args({
  id: field(ID),
  name: field(String, { ...NAME, nullable: true, description: 'Unique per subject.' }),
  attributeIds: list(ID, { maxItems: 500, nullable: true, description: 'Replaces the current attributes, in display order.' }),
  requiredAttributeIds: list(ID, {
    maxItems: 500,
    nullable: true,
    description:
      'Replaces the attributes that a product needs to be complete. If omitted, those that stay in the set stay required.',
  }),
}) {}

@ObjectType({ description: 'Confirms a deletion.' })
export class Deleted extends Deletion {}
