export { type Cost, costOf } from './documents/cost.ts';
export { type Check, createCheck, Faults, readDocument } from './documents/document-check.ts';
export { defaultLimits, type Limits } from './documents/document-limits.ts';
export {
  hashIn,
  hashOf,
  type Manifest,
  type ManifestOperation,
  readManifest,
  type TrustedDocuments,
  trustDocuments,
} from './documents/manifest.ts';
export { contentTypes, isUtf8, type Media, mediaFor } from './http/media-type.ts';
export { multipartOf, type PartsFormat, partsFormatFor, partsOf } from './http/response-parts.ts';
export { type Outcome, type Present, textOf } from './http/response-text.ts';
