/** Stores uploaded files in the database or a bucket, within the quota of the organization, until nothing refers to them. */
export { Bucket } from './bucket.ts';
export {
  dataUrlOf,
  defaultFileLimits,
  deleteKeptFile,
  type FileStorageLimits,
  fileFingerprints,
  findUploads,
  holdFiles,
  keepUploads,
  quotaReached,
  readFile,
  readFilePart,
  sharedDataUrlOf,
  type Upload,
} from './file-store.ts';
