import { Arg, Args, Authorized, Ctx, FieldResolver, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { conflictIfTaken, lockName } from '../../../platform/database/index.ts';
import { field, Id, list, output } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { AttributeValuesScalar } from './attribute-content.ts';
import {
  Attribute,
  AttributeChange,
  AttributeSet,
  AttributeSetAttribute,
  AttributeSetChange,
  Deleted,
  NewAttribute,
  NewAttributeSet,
  SubjectArguments,
} from './entity.ts';
import * as attributes from './service.ts';
import { MAX_LISTED } from './service.ts';
import { type AttributeTemplateData, attributeTemplates } from './template-data.ts';
import { ValueFault, valueFaults } from './value-faults.ts';

@Access('admin')
@Resolver(() => AttributeSet)
export class AttributeSetResolver {
  @Authorized('member')
  @ListSize(50)
  @Query(() => [AttributeSet], { description: 'All attribute sets of a subject, sorted by name.' })
  attributeSets(@Ctx() scope: RequestScope, @Args(() => SubjectArguments) { subject }: SubjectArguments) {
    return attributes.listAttributeSets(scope, subject);
  }

  @Authorized('member')
  @ListSize(attributes.MAX_LISTED)
  @Query(() => [Attribute], { description: 'All attributes of a subject, sorted by name.' })
  attributes(@Ctx() scope: RequestScope, @Args(() => SubjectArguments) { subject }: SubjectArguments) {
    return attributes.listAttributes(scope, subject);
  }

  @Authorized('member')
  @Query(() => Attribute, { nullable: true, description: 'One attribute by id.' })
  attribute(@Ctx() scope: RequestScope, @Id() id: string) {
    return attributes.findAttribute(scope, id);
  }

  @Authorized('member')
  @Query(() => AttributeSet, { nullable: true, description: 'One attribute set by id.' })
  attributeSet(@Ctx() scope: RequestScope, @Id() id: string) {
    return attributes.findSet(scope, id);
  }

  @Authorized('member')
  @ListSize(50)
  @Query(() => [ValueFault], {
    description:
      'The values that do not meet the limits of their product attributes. They can be stored, but no job would write them.',
  })
  attributeValueFaults(@Ctx() scope: RequestScope, @Arg('values', () => AttributeValuesScalar) values: unknown) {
    return valueFaults(scope, values);
  }

  @Idempotent()
  @Mutation(() => Attribute, { description: 'Create an attribute. An organization can have up to 1,000.' })
  createAttribute(@Ctx() scope: RequestScope, @Arg('input', () => NewAttribute) input: NewAttribute) {
    return attributes.createAttribute(scope, input);
  }

  @Mutation(() => Attribute, {
    description: 'Change an attribute. Its slug and type are fixed, because existing values depend on them.',
  })
  updateAttribute(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => AttributeChange) input: AttributeChange) {
    return attributes.updateAttribute(scope, id, input);
  }

  @Mutation(() => Deleted, { description: 'Delete an attribute. Products keep the values they have.' })
  deleteAttribute(@Ctx() scope: RequestScope, @Id() id: string) {
    return attributes.deleteAttribute(scope, id);
  }

  @Idempotent()
  @Mutation(() => AttributeSet, { description: 'Create an attribute set. An organization can have up to 1,000.' })
  createAttributeSet(@Ctx() scope: RequestScope, @Args(() => NewAttributeSet) input: NewAttributeSet) {
    return attributes.createAttributeSet(scope, input);
  }

  @Mutation(() => AttributeSet, { description: 'Rename an attribute set or replace its attributes.' })
  updateAttributeSet(@Ctx() scope: RequestScope, @Args(() => AttributeSetChange) input: AttributeSetChange) {
    return attributes.updateAttributeSet(scope, input);
  }

  @Mutation(() => Deleted, { description: 'Delete an attribute set. Its attributes remain.' })
  deleteAttributeSet(@Ctx() scope: RequestScope, @Id() id: string) {
    return attributes.deleteAttributeSet(scope, id);
  }

  @ListSize(50)
  @FieldResolver(() => [AttributeSetAttribute], { description: 'In display order.' })
  attributeSetAttributes(@Ctx() scope: RequestScope, @Root() { id }: AttributeSet) {
    return attributes.positionsOf(scope, id);
  }
}

@Resolver(() => AttributeSetAttribute)
export class AttributeSetAttributeResolver {
  @FieldResolver(() => Attribute)
  attribute(@Ctx() scope: RequestScope, @Root() { attributeId }: AttributeSetAttribute) {
    return scope.load(Attribute, attributeId);
  }
}

@ObjectType({ description: 'The usual attributes of a trade, with German names.' })
class AttributeTemplate extends output({
  id: field(String),
  name: field(String, 'The name of the trade, which the attribute set gets.'),
  nameDe: field(String, 'The name of the trade in German.'),
  attributes: list(String, 'The names of the attributes.'),
  attributesDe: list(String, 'The names of the attributes in German.'),
}) {}

const listed = attributeTemplates.map(
  ({ id, name, nameDe, attributes }): AttributeTemplate => ({
    ...{ id, name, nameDe },
    attributes: attributes.map((each) => each.name),
    attributesDe: attributes.map((each) => each.nameDe),
  }),
);

/** Slugs of an attribute of a template. The later ones are used when attributes of other types have the earlier ones. */
const slugsOf = (slug: string) => [slug, ...[2, 3, 4, 5].map((n) => `${slug}-${n}`)];

/**
 * Creates an attribute set with the attributes of a template. An attribute of the organization with the same slug and type takes the place of
 * the template's. Throws `NOT_FOUND`, and `CONFLICT` if a set has the name of the trade, or attributes of other types all slugs.
 */
async function applyTemplate(scope: Scope, id: string, inGerman: boolean): Promise<AttributeSet> {
  const template = attributeTemplates.find((each) => each.id === id);
  if (!template) throw fail('NOT_FOUND', 'Attribute template not found');
  const name = inGerman ? template.nameDe : template.name;
  return transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    await lockName(em, `attributes of ${organizationId}`);
    const slugs = template.attributes.flatMap((each) => slugsOf(each.slug));
    const known = await em.find(Attribute, { subject: 'product', slug: { $in: slugs } });
    const bySlug = new Map(known.map((attribute) => [attribute.slug, attribute]));
    const chosen = template.attributes.map((each) => {
      const slug = slugsOf(each.slug).find((one) => (bySlug.get(one)?.type ?? each.type) === each.type);
      if (!slug) throw fail('CONFLICT', `Attributes of other types have the slug ${each.slug}.`);
      return { ...each, slug };
    });
    const missing = chosen.filter(({ slug }) => !bySlug.has(slug));
    if ((await em.count(Attribute)) + missing.length > MAX_LISTED)
      throw fail('UNPROCESSABLE', 'An organization has at most 1,000 attributes.');
    for (const each of missing) bySlug.set(each.slug, em.create(Attribute, { ...attributeOf(each, inGerman), organizationId }));
    const set = em.create(AttributeSet, { name, subject: 'product', organizationId });
    for (const [order, { slug, required = false }] of chosen.entries())
      em.create(AttributeSetAttribute, {
        attributeSetId: set.id,
        attributeId: bySlug.get(slug)!.id,
        organizationId,
        order,
        required,
      });
    return set;
  }).catch(conflictIfTaken(`An attribute set named ${name} already exists.`));
}

/** The attribute in one of the languages, with its translation into the other. */
function attributeOf(
  { name, nameDe, labelsDe = [], options = [], required: _, ...attribute }: AttributeTemplateData,
  inGerman: boolean,
): NewAttribute {
  const german = options.map((option, at) => labelsDe[at] ?? option);
  const [own, other] = inGerman ? [german, options] : [options, german];
  const labels = own.flatMap((option, at) => (other[at] === option ? [] : [{ option, label: other[at]! }]));
  const translation = { language: inGerman ? 'en' : 'de', name: inGerman ? name : nameDe, options: labels };
  return { ...attribute, name: inGerman ? nameDe : name, subject: 'product', options: own, translations: [translation] };
}

@Resolver()
export class AttributeTemplateResolver {
  @Authorized('member')
  @ListSize(10)
  @Query(() => [AttributeTemplate], { description: 'Templates of attributes for some trades.' })
  attributeTemplates(): AttributeTemplate[] {
    return listed;
  }

  @Authorized('admin')
  @Idempotent()
  @Mutation(() => AttributeSet, {
    description:
      'Create an attribute set with the attributes of a template. Existing attributes with the same slugs and types are part of it. If an attribute of another type has the slug, the slug of the new one ends with a number.',
  })
  createAttributesOfTrade(
    @Ctx() scope: RequestScope,
    @Arg('template', () => String, { description: 'The id of a template.' }) id: string,
    @Arg('inGerman', () => Boolean, {
      defaultValue: false,
      description: 'Whether names and options are German, with English translations, instead of English with German ones.',
    })
    inGerman: boolean,
  ) {
    return applyTemplate(scope, id, inGerman);
  }
}
