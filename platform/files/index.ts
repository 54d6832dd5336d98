/** Stores uploaded files in the database or a bucket, within the quota of the organization, until nothing refers to them. */
export { Bucket } from './bucket.ts';
export { dataUrlOf, sharedDataUrlOf } from './data-urls.ts';
export { fileFingerprints } from './fingerprints.ts';
export { holdFiles } from './hold.ts';
export { defaultFileLimits, type FileStorageLimits, quotaReached } from './limits.ts';
export { readFile } from './store.ts';
