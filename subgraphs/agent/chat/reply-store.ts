import type { Pool } from 'pg';
import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';

/** The parts of a reply as they are streamed: the UI message stream of the AI SDK. No other keys are allowed. */
export type Chunk =
  | { type: 'start'; messageId: string }
  | { type: 'start-step' | 'finish-step' | 'finish' }
  | { type: 'text-start' | 'text-end'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: unknown }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  // Only for tools that need an approval: clients before AI SDK 6 do not know these.
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'source-url'; sourceId: string; url: string; title?: string }
  | { type: 'source-document'; sourceId: string; mediaType: string; title: string }
  | { type: 'error'; errorText: string };

/** A part of a stored message, as the clients of the AI SDK read it. */
export type MessagePart =
  | { type: 'text'; text: string }
  | { type: 'step-start' }
  | ToolPart
  | Extract<Chunk, { type: 'source-url' | 'source-document' }>;

export interface ToolPart {
  type: `tool-${string}`;
  toolCallId: string;
  state: 'input-streaming' | 'input-available' | 'approval-requested' | 'output-available' | 'output-error' | 'output-denied';
  approval?: { id: string; approved?: boolean };
  input?: unknown;
  output?: unknown;
  errorText?: string;
}

/** Merge the chunks of a reply into the parts of its message. */
export function toParts(chunks: readonly Chunk[]): MessagePart[] {
  const parts: MessagePart[] = [];
  const texts = new Map<string, { type: 'text'; text: string }>();
  const tools = new Map<string, ToolPart>();
  const add = <P extends MessagePart>(part: P): P => {
    parts.push(part);
    return part;
  };
  for (const chunk of chunks) {
    switch (chunk.type) {
      case 'start-step':
        add({ type: 'step-start' });
        break;
      case 'text-start':
        texts.set(chunk.id, add({ type: 'text', text: '' }));
        break;
      case 'text-delta':
        texts.get(chunk.id)!.text += chunk.delta;
        break;
      case 'tool-input-start':
        tools.set(
          chunk.toolCallId,
          add({ type: `tool-${chunk.toolName}`, toolCallId: chunk.toolCallId, state: 'input-streaming' }),
        );
        break;
      case 'tool-input-available':
        Object.assign(tools.get(chunk.toolCallId)!, { state: 'input-available', input: chunk.input });
        break;
      case 'tool-approval-request':
        Object.assign(tools.get(chunk.toolCallId)!, { state: 'approval-requested', approval: { id: chunk.approvalId } });
        break;
      case 'tool-output-available':
        Object.assign(tools.get(chunk.toolCallId)!, { state: 'output-available', output: chunk.output });
        decided(tools.get(chunk.toolCallId)!, true);
        break;
      case 'tool-output-error':
        Object.assign(tools.get(chunk.toolCallId)!, { state: 'output-error', errorText: chunk.errorText });
        decided(tools.get(chunk.toolCallId)!, true);
        break;
      case 'tool-output-denied':
        Object.assign(tools.get(chunk.toolCallId)!, { state: 'output-denied' });
        decided(tools.get(chunk.toolCallId)!, false);
        break;
      case 'source-url':
      case 'source-document':
        add(chunk);
    }
  }
  return parts;
}

function decided({ approval }: ToolPart, approved: boolean): void {
  if (approval) approval.approved = approved;
}

/** The text of a message without its other parts. */
export const textOf = (parts: readonly MessagePart[]): string =>
  parts
    .flatMap((part) => (part.type === 'text' ? [(part as { text: string }).text] : []))
    .join('\n\n')
    .trim();

/** The results of a tool call, after which it is not open. */
const RESULTS: readonly Chunk['type'][] = ['tool-output-available', 'tool-output-error', 'tool-output-denied'];

/** The chunks that complete an interrupted stream: end open texts and tool calls, report the error, and finish. */
export function closingChunks(chunks: readonly Chunk[], errorText?: string): Chunk[] {
  const closing: Chunk[] = [];
  const texts = new Set<string>();
  const tools = new Map<string, { toolName: string; hasInput: boolean; isAsked?: boolean }>();
  let isStepOpen = false;
  let isFinished = false;
  for (const chunk of chunks) {
    // A reply that waited for an approval has finished before, and continues.
    isFinished = chunk.type === 'finish' || (isFinished && chunk.type !== 'start');
    if (chunk.type === 'start-step') isStepOpen = true;
    if (chunk.type === 'finish-step') isStepOpen = false;
    if (chunk.type === 'text-start') texts.add(chunk.id);
    if (chunk.type === 'text-end') texts.delete(chunk.id);
    if (chunk.type === 'tool-input-start') tools.set(chunk.toolCallId, { toolName: chunk.toolName, hasInput: false });
    if (chunk.type === 'tool-input-available') tools.get(chunk.toolCallId)!.hasInput = true;
    if (chunk.type === 'tool-approval-request') tools.get(chunk.toolCallId)!.isAsked = true;
    // A reply continues when all of its calls are decided.
    if (chunk.type === 'start') for (const tool of tools.values()) tool.isAsked = false;
    if (RESULTS.includes(chunk.type)) tools.delete((chunk as { toolCallId: string }).toolCallId);
  }
  if (isFinished) return [];
  for (const id of texts) closing.push({ type: 'text-end', id });
  for (const [toolCallId, { toolName, hasInput, isAsked }] of tools) {
    if (isAsked) continue;
    if (!hasInput) closing.push({ type: 'tool-input-available', toolCallId, toolName, input: {} });
    closing.push({ type: 'tool-output-error', toolCallId, errorText: 'The reply ended before the tool answered.' });
  }
  if (!isStepOpen && errorText !== undefined) closing.push({ type: 'start-step' });
  if (errorText !== undefined) closing.push({ type: 'error', errorText });
  if (isStepOpen || errorText !== undefined) closing.push({ type: 'finish-step' });
  closing.push({ type: 'finish' });
  return closing;
}

/** A reply that a process is writing. */
export interface ReplyRef {
  id: string;
  organizationId: string;
  agentId: string;
  conversationId: string;
}

/** Proves that this process still writes the reply. */
interface Leased {
  id: string;
  lease: string;
}

/** Notification channels: the id of a watched reply with new chunks or a new status, and of a reply to stop. */
export const CHUNKS_CHANNEL = 'reply_chunks';
export const STOP_CHANNEL = 'reply_stops';

/** Other processes treat a reply as dead when its lease expires. */
export const LEASE = `now() + interval '15 seconds'`;
export const RENEWAL_MS = 4_000;

/**
 * The lock makes the insert wait for a process that settles the reply, and for one that begins to read along. A retry after a lost response
 * may contain more chunks, so it replaces the stored ones. An attempt that the server runs after its retry has no effect. Every lock of
 * several replies is taken in the order of their ids, which prevents deadlocks.
 */
const STORE = `
  with given as (select * from json_to_recordset($1) as g (id uuid, lease uuid, first int, chunks jsonb)),
  held as (
    select m.id, m.watched from agent.messages m join given g on g.id = m.id and g.lease = m.lease where m.status = 'running'
     order by m.id for share of m),
  stored as (
    insert into agent.reply_parts (message_id, first, parts) select g.id, g.first, g.chunks from given g join held using (id)
    on conflict (message_id, first) do update set parts = excluded.parts
     where jsonb_array_length(excluded.parts) > jsonb_array_length(reply_parts.parts))
  select id, case when watched then pg_notify('${CHUNKS_CHANNEL}', id::text) end from held`;

export interface Batch extends Leased {
  /** Number of the first chunk. */
  first: number;
  chunks: readonly Chunk[];
}

/** Append chunks of several replies. Returns the ids of the replies that this process still writes. */
export async function storeChunks(pool: Pool, batches: readonly Batch[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'store chunks',
    text: STORE,
    values: [JSON.stringify(batches)],
  });
  return new Set(rows.map(({ id }) => id));
}

const RENEW = `
  with held as (
    select m.id from agent.messages m join unnest($1::uuid[], $2::uuid[]) as given (id, lease) on m.id = given.id and m.lease = given.lease
     where m.status = 'running' order by m.id for no key update of m)
  update agent.messages m set leased_until = ${LEASE} from held where m.id = held.id returning m.id, m.stop_requested as "stopRequested"`;

/** Renew the leases of running replies. Returns the replies that this process still writes, and whether each must stop. */
export async function renewLeases(pool: Pool, replies: readonly Leased[]): Promise<Map<string, boolean>> {
  const values = [replies.map(({ id }) => id), replies.map(({ lease }) => lease)];
  const { rows } = await pool.query<{ id: string; stopRequested: boolean }>({ name: 'renew replies', text: RENEW, values });
  return new Map(rows.map(({ id, stopRequested }) => [id, stopRequested]));
}

/** Bytes of chunks that one read returns at most, after its first batch: a reply may contain megabytes of tool results. */
const READ_BYTES = 1024 * 1024;
const READ = `
  select first, parts from (
    select first, parts, sum(octet_length(parts::text)) over (order by first rows between unbounded preceding and 1 preceding) as bytes
      from (select p.first, p.parts from agent.reply_parts p
             where p.message_id = $1 and p.first + jsonb_array_length(p.parts) - 1 > $2::int order by p.first limit 200) p) read
   where coalesce(bytes, 0) < ${READ_BYTES} order by first`;

/** The next chunks after the given number, in order. */
export async function readChunks(pool: Pool, replyId: string, after: number): Promise<{ sequence: number; chunk: Chunk }[]> {
  const { rows } = await pool.query<{ first: number; parts: Chunk[] }>({
    name: 'read chunks',
    text: READ,
    values: [replyId, after],
  });
  return rows
    .flatMap(({ first, parts }) => parts.map((chunk, index) => ({ sequence: first + index, chunk })))
    .filter(({ sequence }) => sequence > after);
}

/** All chunks of a reply, in order. */
export async function readAllChunks(pool: Pool, replyId: string): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for (;;) {
    const next = await readChunks(pool, replyId, chunks.length);
    if (next.length === 0) return chunks;
    chunks.push(...next.map(({ chunk }) => chunk));
  }
}

const WATCH = `update agent.messages set watched = true where id = $1 and status = 'running' and not watched`;

/** Make each further change of a running reply notify. A read that follows sees all earlier changes. */
export async function watchReply(pool: Pool, replyId: string): Promise<void> {
  await pool.query({ name: 'watch reply', text: WATCH, values: [replyId] });
}

interface ReplyState {
  status: string;
  running: boolean;
  dead: boolean;
}

/** Whether a reply is still written, and by a process that is alive; undefined when the message was deleted. */
export async function readState(pool: Pool, replyId: string): Promise<ReplyState | undefined> {
  const text = `select status, status = 'running' as running, status = 'running' and leased_until < now() as dead from agent.messages where id = $1`;
  const { rows } = await pool.query<ReplyState>({ name: 'read reply state', text, values: [replyId] });
  return rows[0];
}

/** Ask the process that writes the running reply of a conversation to stop. Returns the reply, or undefined when nothing runs. */
export async function stopRunning(em: Scope['em'], conversationId: string): Promise<string | undefined> {
  const [stopped] = await query(
    em,
    sql<{
      id: string;
    }>`update agent.messages set stop_requested = true where conversation_id = ${conversationId} and status = 'running'
                        returning id, pg_notify(${STOP_CHANNEL}, id::text)`,
  );
  return stopped?.id;
}
