import type { EventStream } from 'compiled-gateway/event-stream';
import { Arg, Args, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { deleteKeptFile, findUploads, keepUploads, readFilePart, type Upload } from '../../../platform/files/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { AFTER, followChanges } from '../../../platform/progress/index.ts';
import { documentFault } from '../../../platform/reading/index.ts';
import { detached, fresh, type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Agent } from '../agents/entity.ts';
import { holdAgent, lockSources, notFound, requirePublished } from '../agents/service.ts';
import {
  DeletedSource,
  MAX_FILES,
  NewSource,
  QuestionAndAnswerType,
  Source,
  SourceChange,
  SourceFile,
  SourceFilePart,
  SourcePagePage,
  SourcePagesArguments,
  SourceUpdate,
  SuspiciousPassage,
  UploadedSource,
  UploadedSources,
} from './entity.ts';
import * as sources from './service.ts';
import { findSource, queueSource, requireRoom, snapshotOf, sourceLog } from './service.ts';

@Access('admin')
@Resolver(() => Source)
export class SourceResolver {
  @ListSize(sources.MAX_SOURCES)
  @Query(() => [Source], { nullable: true, description: 'The knowledge sources of an agent, newest first.' })
  sources(@Ctx() scope: RequestScope, @Id('agentId') agentId: string) {
    return sources.listSources(scope, agentId);
  }

  @Query(() => Source, { nullable: true, description: 'One knowledge source by id.' })
  source(@Ctx() scope: RequestScope, @Id() id: string) {
    return sources.findSource(scope, id);
  }

  @Query(() => SourcePagePage, { nullable: true, description: 'The pages of a knowledge source of the type `url`.' })
  sourcePages(@Ctx() scope: RequestScope, @Args(() => SourcePagesArguments) page: SourcePagesArguments) {
    return sources.listPages(scope, page);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => Source, {
    description: 'Create a knowledge source, and queue it for crawling, chunking and embedding. An agent can have up to 200.',
  })
  createSource(@Ctx() scope: RequestScope, @Id('agentId') agentId: string, @Arg('input', () => NewSource) input: NewSource) {
    return sources.createSource(scope, agentId, input);
  }

  @ListSize(MAX_FILES)
  @Idempotent({ prepares: true })
  @Mutation(() => [Source], {
    description:
      'Create a knowledge source of each uploaded file: PDF, Word (.docx), Markdown, plain text or HTML. Upload them by `POST /api/{organization}/agents/{agentId}/source-files`, which calls this mutation. If one of them cannot be a source, none is created.',
  })
  createFileSources(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Args(() => UploadedSources) { files: ids }: UploadedSources,
  ) {
    return createFileSources(scope, agentId, ids);
  }

  @Mutation(() => Source, {
    description:
      'Replace the file of a knowledge source by a newer version, and read it. The agent answers from the previous content until then. Fails with `UNPROCESSABLE` while the previous file is being read. `POST /api/{organization}/agents/{agentId}/sources/{sourceId}/file` uploads the file and calls this mutation.',
  })
  replaceSourceFile(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Args(() => UploadedSource) { files: ids }: UploadedSource,
    @Arg('agentId', () => ID, { nullable: true, description: 'A source of another agent is treated as not found.' })
    agentId?: string,
  ) {
    return replaceSourceFile(scope, id, ids, agentId);
  }

  /** A part of the file of a source. A cursor names the file, because a part of another file must not follow. */
  @Query(() => SourceFilePart, {
    nullable: true,
    description:
      'The file of a knowledge source as it was uploaded, in parts. Fails with `CONFLICT` if the file is replaced meanwhile.',
  })
  async sourceFile(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('agentId', () => ID, { nullable: true, description: 'A source of another agent is treated as not found.' })
    agentId?: string,
    @Arg('after', () => String, { nullable: true, description: 'The `next` of the part before. Default: the first part.' })
    after?: string | null,
  ): Promise<SourceFilePart> {
    const { fileId, fileName } = await findSource(scope, id, agentId);
    if (!fileId || !fileName) throw fail('NOT_FOUND', 'The source has no file.');
    const [cursor, part = '0'] = after?.split(' ') ?? [fileId];
    if (cursor !== fileId || !/^\d{1,6}$/.test(part)) throw fail('CONFLICT', 'The file was replaced. Start the download again.');
    const number = Number(part);
    const [content, following] = await Promise.all([readFilePart(scope, fileId, number), readFilePart(scope, fileId, number + 1)]);
    if (!content) throw fail('NOT_FOUND', 'The source has no file.');
    return { name: fileName, content: content.toString('base64'), next: following ? `${fileId} ${number + 1}` : null };
  }

  @Mutation(() => Source, { description: 'Rename a knowledge source, or change how often it is read again.' })
  updateSource(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => SourceChange) input: SourceChange) {
    return sources.updateSource(scope, id, input);
  }

  @Mutation(() => Source, {
    description: 'Read a knowledge source again now. Only changed content gets new vectors; the old content serves until then.',
  })
  refreshSource(@Ctx() scope: RequestScope, @Id() id: string) {
    return sources.refreshSource(scope, id);
  }

  @Mutation(() => DeletedSource, { description: 'Delete a knowledge source with its content. A running ingestion stops.' })
  deleteSource(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('agentId', () => ID, { nullable: true, description: 'A source of another agent is treated as not found.' })
    agentId?: string,
  ) {
    return sources.deleteSource(scope, id, agentId);
  }

  @Subscription(() => SourceUpdate, {
    description:
      'All changes of a knowledge source, in order, until its ingestion ends. A client that reconnects with the last `sequence` misses no status.',
    subscribe: ({ context, args }) => followSource(context as RequestScope, args.id, args.after),
  })
  sourceProgress(
    @Root() update: SourceUpdate,
    @Id() _id: string,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): SourceUpdate {
    return update;
  }

  @FieldResolver(() => Agent)
  async agent(@Ctx() scope: RequestScope, @Root() { agentId, organizationId }: Source) {
    return (await scope.within(organizationId).load(Agent, agentId)) ?? notFound();
  }

  @FieldResolver(() => SourceFile, { nullable: true, description: 'The uploaded file. Null for other sources.' })
  file(@Root() { fileName, fileBytes }: Source): SourceFile | null {
    return fileName === null ? null : { name: fileName, bytes: fileBytes ?? 0 };
  }

  @FieldResolver(() => String, { nullable: true, description: 'The content of the type `text`. Null for a file.' })
  text(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Source) {
    return sources.textOf(scope.within(organizationId), id);
  }

  @ListSize(sources.MAX_SUSPICIOUS)
  @FieldResolver(() => [SuspiciousPassage], {
    description: 'The first 20 passages that read like instructions to the agent.',
  })
  suspiciousPassages(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Source) {
    return sources.suspiciousOf(scope.within(organizationId), id);
  }

  @ListSize(100)
  @FieldResolver(() => [QuestionAndAnswerType], { nullable: true, description: 'The content of the type `qa`.' })
  qa(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Source) {
    return sources.questionsOf(scope.within(organizationId), id);
  }
}

/**
 * Streams all changes of a source after the given one, in order, until its ingestion has ended. A subscriber that cannot resume first
 * receives the current state.
 */
async function followSource(
  scope: RequestScope,
  given: string,
  after: number | null | undefined,
): Promise<EventStream<SourceUpdate>> {
  // Callers may write the id in upper case, unlike notifications.
  const source = await findSource(scope, given);
  const { id, sequence } = source;
  return followChanges(sourceLog, scope, { id, sequence, after, snapshot: () => snapshotOf(detached(scope), source) });
}

/** Creates a source of each upload, and queues its ingestion. Creates none if one of the files cannot be a source. */
async function createFileSources(scope: RequestScope, given: string, fileIds: readonly string[]): Promise<Source[]> {
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
async function replaceSourceFile(
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
