import { Field, InputType, ObjectType } from 'type-graphql';
import { Limited, NAME } from '../../../platform/input/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { fail } from '../../../schema/errors.ts';

@ObjectType({ description: 'The label of an option in another language.' })
@InputType('OptionLabelInput', { description: 'The label of an option in another language.' })
class OptionLabel {
  @Limited({ minLength: 1, maxLength: 1_000 })
  @Field(() => String, { description: 'The option as values store it.' })
  option!: string;

  @Limited({ minLength: 1, maxLength: 1_000 })
  @Field(() => String)
  label!: string;
}

@ObjectType({ description: 'The name of an attribute and the labels of its options in another language.' })
export class AttributeTranslation {
  @Field(() => String, { description: 'A language tag, such as `de` or `pt-BR`.' })
  language!: string;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @ListSize(10)
  @Field(() => [OptionLabel], { description: 'Options without an entry keep their own label.' })
  options!: OptionLabel[];
}

@InputType({ description: 'The name of an attribute and the labels of its options in another language.' })
export class AttributeTranslationInput {
  @Limited({ pattern: /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$/ })
  @Field(() => String, { description: 'A language tag, such as `de` or `pt-BR`.' })
  language!: string;

  @Limited({ ...NAME, maxLength: 128 })
  @Field(() => String, { nullable: true })
  name?: string | null;

  @Limited({ maxItems: 500 })
  @Field(() => [OptionLabel], { defaultValue: [], description: 'Options without an entry keep their own label.' })
  options!: OptionLabel[];
}

/** Throws `INVALID_INPUT` for two translations into one language. */
export function checkTranslations(translations: readonly AttributeTranslation[] | null | undefined): void {
  const languages = translations?.map(({ language }) => language) ?? [];
  if (new Set(languages).size < languages.length) throw fail('INVALID_INPUT', 'translations must name each language once');
}
