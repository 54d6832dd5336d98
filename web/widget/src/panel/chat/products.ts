import type { Transcript } from './transcript.ts';

/** A product as `GET /chat/{conversationId}/products` returns it. */
export interface Product {
  sku: string;
  name: string;
  brand: string | null;
  price: string | null;
  priceUnit: string | null;
  url: string | null;
  pictureUrl: string | null;
}

/** Tools with which the agent reads the catalog. */
const TOOLS: readonly string[] = ['search_products', 'read_product'];

export const readsProducts = (tool: string | undefined): boolean => tool !== undefined && TOOLS.includes(tool);

/** Read the products of the replies that have some. Without them, the replies stay as they are. */
export async function loadProducts({ store, endpoint, reference }: Transcript): Promise<void> {
  if (!store.state.messages.some(({ hasProducts }) => hasProducts)) return;
  const read = await endpoint
    .json<{ replies: { messageId: string; products: Product[] }[] }>(`chat/${reference}/products`)
    .catch(() => undefined);
  if (read) store.update({ products: new Map(read.replies.map(({ messageId, products }) => [messageId, products])) });
}
