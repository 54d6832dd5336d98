import { Arg, Authorized, Ctx, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { conflictIfTaken, lockName } from '../../../platform/database/index.ts';
import { field, list, output } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { NewAttribute } from './entity.ts';
import { Attribute, AttributeSet, AttributeSetAttribute } from './entity.ts';
import { MAX_LISTED } from './service.ts';
import { type AttributeTemplateData, attributeTemplates } from './template-data.ts';

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
      if (!slug) throw fail('CONFLICT', `Attributes of other types have the slug ${each.slug}`);
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
  }).catch(conflictIfTaken(`An attribute set named ${name} already exists`));
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
