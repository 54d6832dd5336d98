import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, FieldResolver, InputType, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import {
  clock,
  column,
  columns,
  hidden,
  isId,
  lockName,
  Owned,
  query,
  readRows,
  sql,
  Table,
} from '../../../platform/database/index.ts';
import { field, Id, input, NAME } from '../../../platform/fields/index.ts';
import { Access, User } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { isObject } from '../../../schema/json.ts';
import { isLonger, isStorable } from '../../../schema/text.ts';
import { Deleted } from '../attributes/entity.ts';

@ObjectType({ description: 'A saved view of the list of products: its filter, columns and order under a name.' })
@Table('catalog.product_views')
export class ProductView extends columns(Owned, {
  ownerId: hidden('uuid'),
  name: column('text', 'Unique among the views of its owner, ignoring case.'),
  isShared: column('boolean', { initial: false, description: 'Whether all members of the organization see the view.' }),
  settings: column(GraphQLJSONObject, { type: 'json', description: 'Texts by name, such as the address of the list has them.' }).as<
    Record<string, string>
  >(),
  savedAt: column('datetime', { initial: clock.now }),
}) {}

const [MAX_SETTINGS, MAX_NAME, MAX_TEXT] = [40, 40, 5_000];

/** The faults of the settings of a view, one sentence each. */
function* settingsFaults(settings: unknown, path: string): Generator<string> {
  if (!isObject(settings)) return yield `${path} must be an object`;
  const entries = Object.entries(settings);
  if (entries.length > MAX_SETTINGS) return yield `${path} must have at most ${MAX_SETTINGS} entries`;
  for (const [name, text] of entries) {
    if (!/^[a-z][a-zA-Z]*$/.test(name) || name.length > MAX_NAME)
      yield `${path} must have names of at most ${MAX_NAME} letters, the first of them in lower case`;
    else if (typeof text !== 'string' || isLonger(text, MAX_TEXT) || !isStorable(text))
      yield `${path}.${name} must be a text of at most ${MAX_TEXT} characters`;
  }
}

@InputType({ description: 'A view of the list of products.' })
class ProductViewInput extends input({
  name: field(String, { ...NAME, maxLength: 100, description: 'A view of the caller with this name, ignoring case, is replaced.' }),
  isShared: field(Boolean, { defaultValue: false, description: 'Whether all members of the organization see the view.' }),
  settings: field(GraphQLJSONObject, {
    faults: settingsFaults,
    description: 'Up to 40 texts by name, each of at most 5,000 characters. The service stores them and gives them no meaning.',
  }).as<Record<string, string>>(),
}) {}

/** Views of one user, and shared views of an organization. */
const [MAX_OWN, MAX_SHARED] = [100, 200];

@Access('member')
@Resolver(() => ProductView)
export class ProductViewResolver {
  @ListSize(MAX_OWN + MAX_SHARED)
  @Query(() => [ProductView], {
    description: 'The views of the caller, at most 100, and those that others share in the organization, at most 200, by name.',
  })
  productViews(@Ctx() scope: RequestScope): Promise<ProductView[]> {
    return readRows(
      scope,
      ProductView,
      {
        matching: (bind) => `(r.is_shared or r.owner_id = ${bind(scope.caller.userId)}::uuid)`,
        orderBy: { name: 'asc', id: 'asc' },
        isPrepared: true,
      },
      { limit: MAX_OWN + MAX_SHARED, offset: 0 },
    );
  }

  /** Saves a view of the caller, and replaces the one with the same name. Throws `UNPROCESSABLE` when there are too many. */
  @Mutation(() => ProductView, { description: 'Save a view of the list of products for the caller, and share it if wanted.' })
  saveProductView(@Ctx() scope: RequestScope, @Arg('input', () => ProductViewInput) input: ProductViewInput): Promise<ProductView> {
    const ownerId = scope.caller.userId;
    const content = { ...input, name: input.name.trim(), savedAt: clock.now() };
    return scope.write(async (inner) => {
      const { em, organizationId } = inner;
      await lockName(em, `product views of ${organizationId}`);
      const [known] = await query(
        em,
        sql<{ id: string; isShared: boolean }>`select id, is_shared as "isShared" from catalog.product_views
             where organization_id = ${organizationId} and owner_id = ${ownerId} and lower(name) = lower(${content.name})`,
      );
      if (!known && (await em.count(ProductView, { ownerId })) >= MAX_OWN)
        throw fail('UNPROCESSABLE', `A user has at most ${MAX_OWN} views of the list of products.`);
      if (content.isShared && !known?.isShared && (await em.count(ProductView, { isShared: true })) >= MAX_SHARED)
        throw fail('UNPROCESSABLE', `An organization has at most ${MAX_SHARED} shared views.`);
      if (!known) return em.create(ProductView, { ...content, ownerId, organizationId });
      return em.assign(await em.findOneOrFail(ProductView, known.id), content);
    });
  }

  @Mutation(() => Deleted, { description: 'Delete a view of the caller. Admins also delete shared views of others.' })
  async deleteProductView(@Ctx() scope: RequestScope, @Id() id: string) {
    const isAdmin = scope.organization.role !== 'member';
    const own = { ownerId: scope.caller.userId };
    const where = { id, $or: isAdmin ? [own, { isShared: true }] : [own] };
    if (!isId(id) || (await scope.em.nativeDelete(ProductView, where)) === 0) throw fail('NOT_FOUND', 'View not found');
    return { id, deleted: true };
  }

  @FieldResolver(() => User, { nullable: true, description: 'Null if the user was deleted.' })
  owner(@Ctx() scope: RequestScope, @Root() { ownerId }: ProductView) {
    return scope.load(User, ownerId);
  }

  @FieldResolver(() => Boolean, { description: 'Whether the view belongs to the caller.' })
  isOwn(@Ctx() scope: RequestScope, @Root() { ownerId }: ProductView): boolean {
    return ownerId === scope.caller.userId;
  }
}
