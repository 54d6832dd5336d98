import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { Owned, Tenant } from '../../common/tenant.ts';
import type { AttributeType } from './values.ts';

@ObjectType({ description: 'What a value must keep to; enforced on everything a job writes.' })
@InputType('AttributeConstraintsInput', { description: 'What a value must keep to; enforced on everything a job writes.' })
export class AttributeConstraints {
  @Limited({ min: 0 })
  @Field(() => Int, { nullable: true })
  minLength?: number | null;

  @Limited({ min: 1 })
  @Field(() => Int, { nullable: true })
  maxLength?: number | null;

  @Field(() => Float, { nullable: true })
  min?: number | null;

  @Field(() => Float, { nullable: true })
  max?: number | null;

  @Limited({ min: 0 })
  @Field(() => Int, { nullable: true })
  minItems?: number | null;

  @Limited({ min: 1 })
  @Field(() => Int, { nullable: true })
  maxItems?: number | null;

  @Limited({ min: 0 })
  @Field(() => Int, { nullable: true })
  minWords?: number | null;

  @Limited({ min: 1 })
  @Field(() => Int, { nullable: true })
  maxWords?: number | null;

  @Field(() => wordTypes.TextFormat, { nullable: true })
  format?: Word<'TextFormat'> | null;
}

@ObjectType({ description: 'A property that jobs fill in on products, brands or categories.' })
@Entity({ schema: 'catalog', tableName: 'attributes' })
export class Attribute extends Owned {
  @Field(() => String)
  @Property({ type: 'string', length: 128 })
  name!: string;

  @Field(() => wordTypes.AttributeSubject)
  @Property({ type: 'string' })
  subject: Opt<Word<'AttributeSubject'>> = 'product';

  @Field(() => String, { description: 'Stable key, unique among the attributes of one subject.' })
  @Property({ type: 'string', length: 128 })
  slug!: string;

  @Field(() => wordTypes.AttributeType)
  @Property({ type: 'string' })
  type!: AttributeType;

  @Field(() => String, { description: 'Instruction for the model.' })
  @Property({ type: 'text' })
  prompt: Opt<string> = '';

  @Field(() => String, { nullable: true, description: 'Instruction that depends on the category.' })
  @Property({ type: 'text', nullable: true })
  categoryPrompt: string | null = null;

  @Field(() => Boolean, { description: 'Inactive attributes are skipped by jobs.' })
  @Property({ type: 'boolean' })
  isActive: Opt<boolean> = true;

  @Field(() => [String], { description: 'The labels of a select or multiselect; without any, every text is allowed.' })
  @Property({ type: 'array' })
  options: Opt<string[]> = [];

  @Field(() => String, { nullable: true, description: 'Unit of a number, for example `kg`.' })
  @Property({ type: 'string', length: 32, nullable: true })
  unit: string | null = null;

  @Field(() => AttributeConstraints)
  @Property({ type: 'json' })
  constraints: Opt<AttributeConstraints> = {};

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = new Date();
}

@ObjectType({ description: 'An ordered choice of attributes.' })
@Entity({ schema: 'catalog', tableName: 'attribute_sets' })
@Tenant()
export class AttributeSet {
  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  id: Opt<string> = uuid();

  @Field(() => wordTypes.AttributeSubject)
  @Property({ type: 'string' })
  subject: Opt<Word<'AttributeSubject'>> = 'product';

  @Field(() => String, { description: 'Unique among the sets of one subject.' })
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => ID)
  @Property({ type: 'uuid' })
  organizationId!: string;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = new Date();
}

@ObjectType({ description: 'The place of an attribute in a set.' })
@Entity({ schema: 'catalog', tableName: 'attribute_set_attributes' })
@Tenant()
export class AttributeSetAttribute {
  @PrimaryKey({ type: 'uuid' })
  attributeSetId!: string;

  @PrimaryKey({ type: 'uuid' })
  attributeId!: string;

  @Property({ type: 'uuid' })
  organizationId!: string;

  @Field(() => Int)
  @Property({ type: 'integer' })
  order!: number;
}
