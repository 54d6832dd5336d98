import { query, sql } from '../../../platform/database/index.ts';
import { deleteKeptFile, findUploads, keepUploads, readFilePart, type Upload } from '../../../platform/files/index.ts';
import { documentFault } from '../../../platform/reading/index.ts';
import { fresh, type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { holdAgent, lockSources, requirePublished } from '../agents/service.ts';
import { Source, type SourceFilePart } from './entity.ts';
import { findSource, queueSource, requireRoom } from './service.ts';

/** Creates a source of each upload, and queues its ingestion. Creates none if one of the files cannot be a source. */
export async function createFileSources(scope: RequestScope, given: string, fileIds: readonly string[]): Promise<Source[]> {
  const agentId = await requirePublished(scope, given);
  const uploads = await readableUploads(scope, fileIds);
  return scope.write(async (inner) => {
    const { em, organizationId } = inner;
    await holdAgent(inner, agentId);
    await lockSources(inner, agentId);
    await requireRoom(inner, agentId, uploads.length);
    await keepUploads(inner, uploads);
    const sources = uploads.map(({ id, name, bytes }) =>
      em.create(Source, {
        ...{ organizationId, agentId, type: 'text', name, sequence: 1 },
        ...{ fileId: id, fileName: name, fileBytes: bytes },
      }),
    );
    await em.flush();
    for (const { id } of sources) await queueSource(inner, id);
    return sources;
  });
}

/**
 * Replaces the file of a source and queues its ingestion. The passages of the previous file stay until then. Throws `UNPROCESSABLE` while
 * the previous file is read.
 */
export async function replaceSourceFile(
  scope: RequestScope,
  given: string,
  fileIds: readonly string[],
  agentId?: string,
): Promise<Source> {
  const { id, agentId: owner, fileId } = await findSource(scope, given, agentId);
  if (!fileId) throw fail('INVALID_INPUT', 'The source was not made of a file.');
  const [upload] = (await readableUploads(scope, fileIds)) as [Upload];
  await transaction(scope, async (inner) => {
    await holdAgent(inner, owner);
    await keepUploads(inner, [upload]);
    const previous = await setFile(inner, id, upload);
    await deleteKeptFile(inner, previous);
    await queueSource(inner, id);
  });
  return findSource(fresh(scope), id);
}

/** Returns the id of the previous file. The name of the source follows that of its file, unless somebody has renamed it. */
async function setFile({ em, organizationId }: Scope, id: string, { id: fileId, name, bytes }: Upload): Promise<string> {
  const [replaced] = await query(
    em,
    sql<{ fileId: string }>`
      update agent.sources s set file_id = ${fileId}, file_name = ${name}, file_bytes = ${bytes}, status = 'queued', error = null,
             name = case when s.name = s.file_name then ${name} else s.name end,
             queued_at = case when s.status = 'queued' then s.queued_at else now() end, sequence = s.sequence + 1, updated_at = now()
        from (select id, file_id from agent.sources where id = ${id} and organization_id = ${organizationId} for update) previous
       where s.id = previous.id and s.status in ('queued', 'ready', 'failed') returning previous.file_id as "fileId"`,
  );
  if (!replaced) throw fail('UNPROCESSABLE', 'The file is being read at the moment. Replace it when the source is ready.');
  return replaced.fileId;
}

/** The uploads under clean names. Throws `INVALID_INPUT` if the name or the first bytes of one say that it is no document. */
async function readableUploads(scope: Scope, ids: readonly string[]): Promise<Upload[]> {
  const uploads = await findUploads(scope, ids);
  const named = uploads.map((upload) => ({ ...upload, name: cleanName(upload.name) }));
  for (const { id, name } of named) {
    const fault = documentFault(name, (await readFilePart(scope, id, 0)) ?? Buffer.alloc(0));
    if (fault) throw fail('INVALID_INPUT', `${name}: ${fault}`);
  }
  return named;
}

/** A name without folders, control characters, and characters that change the direction of the text. */
const cleanName = (name: string): string =>
  name
    .slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();

/** A part of the file of a source. A cursor names the file, because a part of another file must not follow. */
export async function readSourceFile(scope: Scope, id: string, agentId?: string, after?: string | null): Promise<SourceFilePart> {
  const { fileId, fileName } = await findSource(scope, id, agentId);
  if (!fileId || !fileName) throw fail('NOT_FOUND', 'The source has no file');
  const [cursor, part = '0'] = after?.split(' ') ?? [fileId];
  if (cursor !== fileId || !/^\d{1,6}$/.test(part)) throw fail('CONFLICT', 'The file was replaced. Start the download again.');
  const number = Number(part);
  const [content, following] = await Promise.all([readFilePart(scope, fileId, number), readFilePart(scope, fileId, number + 1)]);
  if (!content) throw fail('NOT_FOUND', 'The source has no file');
  return { name: fileName, content: content.toString('base64'), next: following ? `${fileId} ${number + 1}` : null };
}
