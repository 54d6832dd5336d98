/** The only way to addresses that a user gave. Checks and pins the address, and limits time and bytes. Private addresses are refused unless the operator allows them. */
export { decompress } from './body.ts';
export {
  createOutbound,
  isReservedHeader,
  type Outbound,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundSession,
  type OutboundStream,
} from './client.ts';
export { type Image, MAX_IMAGE_BYTES, readImage } from './image.ts';
export { accept, MAX_PAGE_BYTES, type Page, readContent, readPage } from './page.ts';
export { requireReachable } from './reachable.ts';
export { OutboundRefused } from './refusal.ts';
export { retryAfterOf } from './retry-after.ts';
