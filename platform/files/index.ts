/** Stores uploaded files in the database or a bucket, within the quota of the organization, until nothing refers to them. */
export { Bucket } from './bucket.ts';
export { dataUrlOf, sharedDataUrlOf } from './data-urls.ts';
export { defaultFileLimits, type FileStorageLimits, fileFingerprints, holdFiles, quotaReached, readFile } from './file-store.ts';
