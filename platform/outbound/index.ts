/** The only way to addresses that a user gave. Checks and pins the address, and limits time and bytes. Private addresses are refused unless the operator allows them. */

export { requireReachable } from './guard.ts';
export {
  createOutbound,
  decompress,
  isReservedHeader,
  type Outbound,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundSession,
  type OutboundStream,
  retryAfterOf,
} from './outbound-client.ts';
export { OutboundRefused, type RefusalKind } from './refusal.ts';
export { accept, type Image, MAX_IMAGE_BYTES, MAX_PAGE_BYTES, readContent, readImage, readPage, type WebPage } from './web-page.ts';
