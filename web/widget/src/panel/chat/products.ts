import type { Product } from './message.ts';
import type { Transcript } from './transcript.ts';

/** Read the products of the replies that have some. Without them, the replies stay as they are. */
export async function loadProducts({ store, endpoint, reference }: Transcript): Promise<void> {
  if (!store.state.messages.some(({ hasProducts }) => hasProducts)) return;
  const read = await endpoint
    .json<{ replies: { messageId: string; products: Product[] }[] }>(`chat/${reference}/products`)
    .catch(() => undefined);
  if (read) store.update({ products: new Map(read.replies.map(({ messageId, products }) => [messageId, products])) });
}
