import { GraphQLError } from 'graphql';
import { ID, ObjectType } from 'type-graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { truncate } from '../../../schema/text.ts';
import type { Agent } from '../agents/entity.ts';
import { requireConversationId, visitorSender } from '../chat/sender.ts';
import { KnownVisitor } from '../chat/types.ts';
import { catalogOperations, MAX_CARDS } from './catalog-tools.ts';
import { pageOf } from './product-page.ts';

/** Replies of a conversation whose products are shown: the newest. */
const MAX_REPLIES = 10;
/** The attribute with the price of a product. */
const PRICE = 'price';

@ObjectType({ description: 'A product of a reply, as visitors see it.' })
class ProductCard extends output({
  sku: field(String),
  name: field(String),
  brand: field(String, { nullable: true }),
  price: field(String, {
    nullable: true,
    description: 'The value of the attribute with the slug `price`, if the agent may read it; null if it is not known.',
  }),
  priceUnit: field(String, { nullable: true, description: 'The unit of the price, such as `EUR`.' }),
  url: field(String, { nullable: true, description: 'The page of the product; null without a `productPage` of the agent.' }),
  pictureUrl: field(String, { nullable: true, description: 'Address of a picture, by https; null without one.' }),
}) {}

@ObjectType({ description: 'The products of a reply.' })
export class ReplyProducts extends output({
  messageId: field(ID, 'The reply.'),
  products: list(ProductCard, { assumedSize: MAX_CARDS }),
}) {}

export class ReplyProductsArguments extends args(KnownVisitor, {
  conversationId: field(ID, 'The conversation, or the chat id of the client.'),
}) {}

interface CatalogProduct {
  sku: string;
  name: string;
  brand: string | null;
  externalId: string | null;
  images: { url: string }[];
  values: { slug: string; value: unknown; unit: string | null }[];
}

/**
 * The products of the newest replies of a visitor's conversation, as the catalog has them now. Products that were deleted or archived
 * meanwhile are left out, and so are all if the agent may not read the catalog, or it cannot be read. Throws `NOT_FOUND` for a conversation
 * of somebody else.
 */
export async function listReplyProducts(
  scope: RequestScope,
  publicSlug: string,
  { visitorId, conversationId }: ReplyProductsArguments,
): Promise<ReplyProducts[]> {
  const sender = await visitorSender(scope, publicSlug, visitorId);
  const { agent } = sender;
  const id = await requireConversationId(sender, conversationId);
  const { graph } = scope.services;
  if (!agent.catalogAccess || !graph) return [];
  const replies = await query(
    sender.scope.em,
    sql<{ messageId: string; skus: string[] }>`
      select id as "messageId", products as skus from agent.messages
       where conversation_id = ${id} and products <> '{}' and not replaced order by position desc limit ${MAX_REPLIES}`,
  );
  if (replies.length === 0) return [];
  const skus = [...new Set(replies.flatMap((reply) => reply.skus))];
  const caller = { organizationId: agent.organizationId, agentId: agent.id };
  const { products } = await graph
    .query<{ products: CatalogProduct[] }>(catalogOperations.cards, { skus }, caller, scope.signal)
    .catch((error: unknown) => {
      if (scope.signal?.aborted || error instanceof GraphQLError) throw error;
      log.warn({ err: error, agentId: agent.id }, 'Failed to read the products of replies');
      return { products: [] };
    });
  const cards = new Map(products.map((product) => [product.sku, cardOf(product, agent)]));
  return replies
    .map((reply) => ({ messageId: reply.messageId, products: reply.skus.flatMap((sku) => cards.get(sku) ?? []) }))
    .filter((reply) => reply.products.length > 0);
}

type Settings = Pick<Agent, 'catalogAttributes' | 'productPage' | 'productPictures'>;

function cardOf(product: CatalogProduct, { catalogAttributes, productPage, productPictures }: Settings): ProductCard {
  const { sku, name, brand, images, values } = product;
  const mayReadPrice = catalogAttributes.length === 0 || catalogAttributes.includes(PRICE);
  const price = mayReadPrice ? values.find(({ slug, value }) => slug === PRICE && isShort(value)) : undefined;
  const picture = productPictures ? images.find(({ url }) => isPicture(url)) : undefined;
  return {
    sku,
    name,
    brand,
    price: price ? truncate(String(price.value).trim(), 64) : null,
    priceUnit: price?.unit ?? null,
    url: pageOf(product, productPage),
    pictureUrl: picture?.url ?? null,
  };
}

const isShort = (value: unknown): boolean => typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');

const isPicture = (text: string): boolean => {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && !url.username && !url.password;
};
