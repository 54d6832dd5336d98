import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { AttributeConstraints } from './entity.ts';
import type { AttributeType } from './values.ts';

@ArgsType()
export class OfSubject {
  @Field(() => wordTypes.AttributeSubject, { defaultValue: 'product' })
  subject!: Word<'AttributeSubject'>;
}

@InputType({ description: 'What may change on an attribute. A field that is not sent stays as it is.' })
export class AttributeChange {
  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { nullable: true })
  name?: string;

  @Limited({ maxLength: 4_000 })
  @Field(() => String, { nullable: true, description: 'Instruction for the model.' })
  prompt?: string;

  @Limited({ maxLength: 4_000 })
  @Field(() => String, { nullable: true, description: 'Instruction that depends on the category.' })
  categoryPrompt?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Inactive attributes are skipped by jobs.' })
  isActive?: boolean;

  @Limited({ maxItems: 500 })
  @Field(() => [String], { nullable: true, description: 'The labels of a select or multiselect.' })
  options?: string[];

  @Limited({ maxLength: 32 })
  @Field(() => String, { nullable: true, description: 'Unit of a number, for example `kg`.' })
  unit?: string | null;

  @Field(() => AttributeConstraints, { nullable: true })
  constraints?: AttributeConstraints;
}

@InputType({ description: 'An attribute to create.' })
export class NewAttribute extends AttributeChange {
  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String)
  declare name: string;

  @Field(() => wordTypes.AttributeSubject, { defaultValue: 'product' })
  subject!: Word<'AttributeSubject'>;

  @Limited({ minLength: 1, maxLength: 128, pattern: /^[a-z0-9][a-z0-9_-]*$/ })
  @Field(() => String, { description: 'Stable key, unique among the attributes of one subject.' })
  slug!: string;

  @Field(() => wordTypes.AttributeType, { description: 'What sort it is; only products have dates.' })
  type!: AttributeType;
}

@ArgsType()
export class NewAttributeSet {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { description: 'Unique among the sets of one subject.' })
  name!: string;

  @Field(() => wordTypes.AttributeSubject, { defaultValue: 'product' })
  subject!: Word<'AttributeSubject'>;

  @Limited({ maxItems: 500 })
  @Field(() => [ID], { description: 'The attributes, of the same subject, in display order.' })
  attributeIds!: string[];
}

@ArgsType()
export class AttributeSetChange {
  @Field(() => ID)
  id!: string;

  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'The display name.' })
  name?: string;

  @Limited({ maxItems: 500 })
  @Field(() => [ID], { nullable: true, description: 'The attributes, in display order; replaces the present choice.' })
  attributeIds?: string[];
}

@ObjectType({ description: 'Something that is no more.' })
export class Deleted {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean)
  deleted!: boolean;
}
