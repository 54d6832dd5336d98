import { Arg, Authorized, Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { conflictIfTaken, lockName } from '../../../platform/database/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { NewAttribute } from './entity.ts';
import { Attribute, AttributeSet, AttributeSetAttribute } from './entity.ts';
import { MAX_LISTED } from './service.ts';
import { type AttributeTemplateData, attributeTemplates } from './template-data.ts';

@ObjectType({ description: 'The usual attributes of a trade, with German names.' })
class AttributeTemplate {
  @Field(() => String)
  id!: string;

  @Field(() => String, { description: 'The name of the trade, which the attribute set gets.' })
  name!: string;

  @Field(() => String, { description: 'The name of the trade in German.' })
  nameDe!: string;

  @Field(() => [String], { description: 'The names of the attributes.' })
  attributes!: string[];
}

const listed = attributeTemplates.map(
  ({ id, name, nameDe, attributes }): AttributeTemplate => ({ id, name, nameDe, attributes: attributes.map((each) => each.name) }),
);

/**
 * Creates an attribute set with the attributes of a template. An attribute of the organization with the same slug takes the place of the
 * template's. Throws `NOT_FOUND`, and `CONFLICT` if a set has the name of the trade.
 */
async function applyTemplate(scope: Scope, id: string): Promise<AttributeSet> {
  const template = attributeTemplates.find((each) => each.id === id);
  if (!template) throw fail('NOT_FOUND', 'Attribute template not found');
  return transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    await lockName(em, `attributes of ${organizationId}`);
    const known = await em.find(Attribute, { subject: 'product', slug: { $in: template.attributes.map(({ slug }) => slug) } });
    const bySlug = new Map(known.map((attribute) => [attribute.slug, attribute]));
    const missing = template.attributes.filter(({ slug }) => !bySlug.has(slug));
    if ((await em.count(Attribute)) + missing.length > MAX_LISTED)
      throw fail('UNPROCESSABLE', 'An organization has at most 1,000 attributes.');
    for (const each of missing) bySlug.set(each.slug, em.create(Attribute, { ...attributeOf(each), organizationId }));
    const set = em.create(AttributeSet, { name: template.name, subject: 'product', organizationId });
    for (const [order, { slug, required = false }] of template.attributes.entries())
      em.create(AttributeSetAttribute, {
        attributeSetId: set.id,
        attributeId: bySlug.get(slug)!.id,
        organizationId,
        order,
        required,
      });
    return set;
  }).catch(conflictIfTaken(`An attribute set named ${template.name} already exists`));
}

function attributeOf({ nameDe, labelsDe = [], options = [], required: _, ...attribute }: AttributeTemplateData): NewAttribute {
  const labels = options.flatMap((option, at) => (labelsDe[at] ? [{ option, label: labelsDe[at] }] : []));
  return { ...attribute, subject: 'product', options, translations: [{ language: 'de', name: nameDe, options: labels }] };
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
      'Create an attribute set with the attributes of a template. Existing attributes with the same slugs are part of it.',
  })
  createAttributesOfTrade(
    @Ctx() scope: RequestScope,
    @Arg('template', () => String, { description: 'The id of a template.' }) id: string,
  ) {
    return applyTemplate(scope, id);
  }
}
