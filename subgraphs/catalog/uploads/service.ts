import { availableParallelism } from 'node:os';
import type { GraphQLError, GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { ByteBudget, isId, query, requireAll, sql } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { quotaReached, readFile } from '../../../platform/files/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access, User } from '../../../platform/identity/index.ts';
import { listByCursor } from '../../../platform/lists/index.ts';
import { FairQueue } from '../../../platform/queues/index.ts';
import { reader } from '../../../platform/reading/index.ts';
import { ContentFault, type FaultReason } from '../../../platform/reading/task.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { codeOf, fail } from '../../../schema/errors.ts';
import { Deleted } from '../attributes/entity.ts';
import { FileStorage, UploadedFile, UploadedFilePage, UploadedFiles, UploadedFilesArguments } from './entity.ts';
import { FileFault } from './file-pages.ts';
import type { tasks } from './file-tasks.ts';

@Access('member')
@Resolver(() => UploadedFile)
export class UploadedFileResolver {
  @Query(() => UploadedFilePage, { description: 'The uploaded files of the organization, newest first.' })
  uploadedFiles(
    @Ctx() scope: RequestScope,
    @Args(() => UploadedFilesArguments) page: UploadedFilesArguments,
    @Info() info: GraphQLResolveInfo,
  ) {
    const orderBy = { createdAt: 'desc', id: 'desc' } as const;
    return listByCursor(scope, UploadedFile, { where: { ready: true }, orderBy }, page, info);
  }

  @Query(() => UploadedFile, { nullable: true, description: 'One uploaded file by id.' })
  async uploadedFile(@Ctx() scope: RequestScope, @Id() id: string) {
    const file = isId(id) ? await scope.load(UploadedFile, id.toLowerCase()) : null;
    if (!file?.ready) throw fail('NOT_FOUND', 'File not found');
    return file;
  }

  @Query(() => FileStorage, { description: 'The storage that the uploaded files of the organization take.' })
  fileStorage(@Ctx() scope: RequestScope) {
    return fileStorage(scope);
  }

  @Mutation(() => Deleted, {
    description: 'Delete an uploaded file with its content. Fails with `CONFLICT` while a job that has not ended uses it.',
  })
  async deleteUploadedFile(@Ctx() scope: RequestScope, @Id() id: string): Promise<{ id: string; deleted: true }> {
    if (!isId(id)) throw notFound();
    return scope.write(async ({ em, organizationId }) => {
      // The lock comes first: the next statement then sees every job that was created with the file.
      const [file] = await query(
        em,
        sql<{ id: string }>`select id from catalog.files
           where id = ${id} and organization_id = ${organizationId} and ready for update`,
      );
      if (!file) throw notFound();
      const [user] = await query(
        em,
        sql`select 1 from catalog.jobs
             where uploaded_file_ids @> array[${file.id}]::uuid[] and uploaded_file_ids <> '{}' and status in ('pending', 'processing') limit 1`,
      );
      if (user) throw fail('CONFLICT', 'A job that has not ended uses the file.');
      await query(em, sql`delete from catalog.files where id = ${file.id}`);
      return { id: file.id, deleted: true };
    });
  }

  @FieldResolver(() => User, { nullable: true, description: 'The user who uploaded the file.' })
  createdBy(@Ctx() scope: RequestScope, @Root() { createdById }: UploadedFile) {
    return scope.load(User, createdById);
  }
}

@Resolver()
export class UploadResolver {
  @Authorized('member')
  @Idempotent({ prepares: true })
  @Mutation(() => UploadedFiles, { description: 'Read files that the REST endpoint has stored, so that jobs can use them.' })
  uploadFiles(
    @Ctx() scope: RequestScope,
    @Arg('files', () => [ID], { description: 'Ids that the REST endpoint assigned to the stored files.' }) files: string[],
  ) {
    return uploadFiles(scope, files);
  }
}

const MB = 1024 * 1024;
/** Memory of all files that the process reads at the same time. */
const budget = new ByteBudget(1024 * MB);
/** As many as the threads: a file takes memory from here on. */
const queue = new FairQueue(Math.max(2, availableParallelism() - 1));
const decoder = new TextDecoder();

interface Draft {
  id: string;
  name: string;
  mime: string;
}

/** A draft whose content was read into pages, or the reason why that failed. */
interface ReadDraft extends Draft {
  fault?: string;
}

/** Reads drafts and turns them into files. Unreadable drafts are deleted and reported; the others are unaffected. */
async function uploadFiles(scope: RequestScope, ids: string[]): Promise<UploadedFiles> {
  const drafts = await readDrafts(scope, ids);
  return scope.write((inner) => promoteDrafts(inner, drafts));
}

/**
 * Reads drafts into pages. Files stay drafts until `promoteDrafts`, so a failed request leaves no files.
 */
export async function readDrafts(scope: RequestScope, ids: string[]): Promise<ReadDraft[]> {
  const read: ReadDraft[] = [];
  for (const draft of await draftsOf(scope, ids)) read.push({ ...draft, fault: await readDraft(scope, draft) });
  return read;
}

/** Turns readable drafts into files and deletes the others, in the transaction of the scope. */
export async function promoteDrafts({ em, organizationId }: Scope, drafts: ReadDraft[]): Promise<UploadedFiles> {
  const uploadedFileIds = drafts.flatMap(({ id, fault }) => (fault === undefined ? [id] : []));
  const errors = drafts.flatMap(({ name, fault }) => (fault === undefined ? [] : [{ fileName: name, error: fault }]));
  const promoted = await query(
    em,
    sql`update catalog.files set ready = true
         where id = any(${uploadedFileIds}::uuid[]) and organization_id = ${organizationId} and not ready and not kept returning id`,
  );
  // A concurrent request promoted or deleted one of them.
  if (promoted.length < uploadedFileIds.length) throw fail('NOT_FOUND', 'File not found');
  const broken = drafts.flatMap(({ id, fault }) => (fault === undefined ? [] : [id]));
  await query(
    em,
    sql`delete from catalog.files where id = any(${broken}::uuid[]) and organization_id = ${organizationId} and not ready and not kept`,
  );
  return { success: errors.length === 0, uploadedFileIds, errors: errors.length > 0 ? errors : null };
}

const UNKNOWN_DRAFT =
  'File not found. Upload files by POST /api/{organization}/enrichment-files/upload; jobs accept the returned ids without another call.';

const draftsOf = ({ em, organizationId }: Scope, ids: readonly string[]): Promise<Draft[]> =>
  requireAll(ids, 'File', (known) =>
    query(
      em,
      sql<Draft>`select id, name, mime from catalog.files
         where id = any(${known}::uuid[]) and organization_id = ${organizationId} and not ready and not kept`,
    ),
  ).catch((error: GraphQLError) => {
    const { extra } = (error.extensions ?? {}) as { extra?: Record<string, unknown> };
    throw codeOf(error) === 'NOT_FOUND' ? fail('NOT_FOUND', UNKNOWN_DRAFT, extra) : error;
  });

/** Returns the fault of an unreadable file. */
async function readDraft(scope: RequestScope, { id, mime }: Draft): Promise<string | undefined> {
  const { organizationId, signal } = scope;
  const read = async () => {
    const bytes = await bytesOf(scope, id);
    const megabytes = readingMemory(mime, bytes.length / MB);
    const held = await budget.reserve(organizationId, megabytes * MB, signal);
    try {
      const lists = await readInThread(organizationId, mime, bytes, { megabytes }, signal);
      // The pages count until they are written.
      await transaction(scope, (inner) => writePages(inner, id, lists));
    } finally {
      held.release();
    }
  };
  try {
    await queue.run(organizationId, read, signal);
    return undefined;
  } catch (error) {
    if (error instanceof FileFault) return error.message;
    throw error;
  }
}

/** Megabytes that reading a file may take, above the needs of honest files. Compressed formats unpack to more than their size. */
const readingMemory = (mime: string, megabytes: number): number =>
  mime === 'text/csv' || mime === 'application/vnd.ms-excel' ? 128 + Math.ceil(32 * megabytes) : 512;

/** Replaces existing pages, because two requests may read the same draft. Throws `LIMIT_REACHED` if the pages exceed the quota. */
async function writePages({ em, organizationId, services }: Scope, id: string, lists: Uint8Array[]): Promise<void> {
  await query(em, sql`select id from catalog.files where id = ${id} for update`);
  await query(em, sql`delete from catalog.file_pages where file_id = ${id}`);
  for (const list of lists) {
    await query(
      em,
      sql`insert into catalog.file_pages (file_id, place, content)
          select ${id}, n - 1 + (select count(*) from catalog.file_pages where file_id = ${id}), page
            from json_array_elements(${decoder.decode(list)}::json) with ordinality as given (page, n)`,
    );
  }
  await query(
    em,
    sql`update catalog.files set page_bytes = (
          select coalesce(sum(pg_column_size(content)), 0) from catalog.file_pages where file_id = ${id}) where id = ${id}`,
  );
  const [usage] = await query(
    em,
    sql<{ bytes: number }>`select bytes::float8 from catalog.file_usage where organization_id = ${organizationId}`,
  );
  if (usage && usage.bytes > services.fileLimits.quota) throw quotaReached(services.fileLimits);
}

/** Copies the file into a buffer that can be transferred to another thread. */
async function bytesOf(scope: Scope, id: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(Buffer.concat(await Array.fromAsync(readFile(scope, id))));
}

/** The distinct ids of the files. Throws `NOT_FOUND` with `missingIds` unless all exist and are not drafts. */
export async function requireFiles({ em, organizationId }: Scope, ids: readonly string[]): Promise<string[]> {
  const found = await requireAll(ids, 'File', (known) =>
    query(
      em,
      sql<{ id: string }>`select id from catalog.files
         where id = any(${known}::uuid[]) and organization_id = ${organizationId} and ready`,
    ),
  );
  return found.map(({ id }) => id);
}

const notFound = () => fail('NOT_FOUND', 'File not found');

/** The storage that the files of the organization take. */
export async function fileStorage({ em, organizationId, services }: Scope): Promise<FileStorage> {
  const [usage] = await query(
    em,
    sql<{ bytes: number }>`select bytes::float8 from catalog.file_usage where organization_id = ${organizationId}`,
  );
  const { quota: limit, retentionDays } = services.fileLimits;
  return { bytes: usage?.bytes ?? 0, limit, retentionDays };
}

const sentences: Partial<Record<FaultReason, string>> = {
  time: 'the file takes too long to read',
  memory: 'the file takes too much memory to read',
};

const read = reader<typeof tasks>('files', new URL('./file-tasks.ts', import.meta.url));

/**
 * Reads a file in a thread and returns its pages as JSON arrays in UTF-8. The buffer is moved to the thread. Throws `FileFault` if
 * the file is unreadable or exceeds the limits, `RATE_LIMITED` while too many other files are read, and the reason of the signal if it aborts first.
 */
export async function readInThread(
  owner: string,
  mime: string,
  { buffer }: Uint8Array<ArrayBuffer>,
  limits: { megabytes: number; cpuMs?: number },
  signal?: AbortSignal,
): Promise<Uint8Array[]> {
  try {
    return await read(owner, 'readFile', { mime, bytes: buffer }, { ...limits, signal, transfer: [buffer] });
  } catch (error) {
    if (signal?.aborted) throw error;
    if (!(error instanceof ContentFault)) {
      log.error({ err: error, mime }, 'Failed to read a file');
      throw new FileFault('the file cannot be read');
    }
    if (error.reason === 'busy') throw fail('RATE_LIMITED', error.message);
    throw new FileFault(sentences[error.reason] ?? error.message);
  }
}
