import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { Limited, NAME } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { AttributeType } from './attribute-content.ts';
import { AttributeConstraints } from './entity.ts';

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
export class Deleted {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean, { description: 'Always true.' })
  deleted!: boolean;
}
