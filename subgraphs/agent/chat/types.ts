import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, type ClassType, Field, ID, Int, ObjectType } from 'type-graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { args, field, type Limit, Limited, list, output } from '../../../platform/fields/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { isObject } from '../../../schema/json.ts';
import { enumTypes, MAX_PARTS } from '../../../schema/scalars.ts';
import { isStorable } from '../../../schema/text.ts';
import type { Chunk } from './reply-store.ts';

/** A page of a website as the page describes it: flat JSON that nobody has checked. */
export type PageContext = Record<string, string | number | boolean | null>;

/** Keys, characters of a key, and bytes of the whole as JSON. The widget has the same limits. */
const [MAX_KEYS, MAX_KEY, MAX_BYTES] = [20, 64, 2_048];

function* faults(context: unknown, path: string): Generator<string> {
  if (!isObject(context)) return;
  const entries = Object.entries(context);
  if (entries.length > MAX_KEYS) return yield `${path} must have at most ${MAX_KEYS} keys`;
  for (const [key, value] of entries) {
    if (key.trim() === '' || key.length > MAX_KEY || !isStorable(key))
      return yield `${path} must have keys of 1 to ${MAX_KEY} characters`;
    if (typeof value === 'object' && value !== null) return yield `${path}.${key} must be a text, a number, true, false or null`;
    if (typeof value === 'number' && !Number.isFinite(value)) return yield `${path}.${key} must be a finite number`;
    if (typeof value === 'string' && !isStorable(value))
      return yield `${path}.${key} must not contain NUL characters or lone surrogates`;
  }
  if (Buffer.byteLength(JSON.stringify(context)) > MAX_BYTES) yield `${path} must have at most ${MAX_BYTES} bytes of JSON`;
}

const PAGE_CONTEXT: Limit = { faults };

/** The context without its nulls, which say nothing; null if nothing is left. */
export function statedContext(context: PageContext | null): PageContext | null {
  const stated = Object.entries(context ?? {}).filter(([, value]) => value !== null);
  return stated.length > 0 ? Object.fromEntries(stated) : null;
}

/** Keep the newest context of a conversation; null removes it. */
export async function keepPageContext(
  { em, organizationId }: Scope,
  conversationId: string,
  context: PageContext | null,
): Promise<void> {
  if (context === null)
    return void (await query(em, sql`delete from agent.page_contexts where conversation_id = ${conversationId}`));
  await query(
    em,
    sql`insert into agent.page_contexts as p (conversation_id, organization_id, context)
        select id, organization_id, ${JSON.stringify(context)}::json from agent.conversations
         where id = ${conversationId} and organization_id = ${organizationId} for key share
        on conflict (conversation_id) do update set context = excluded.context, updated_at = now()
         where p.context::text <> excluded.context::text`,
  );
}

/** The context of the row `r`, a conversation. */
export const PAGE_CONTEXT_OF = '(select p.context from agent.page_contexts p where p.conversation_id = r.id)';

/** The newest context of a conversation. Batches a list into one query. */
export function pageContextOf(scope: RequestScope, conversationId: string): Promise<PageContext | null> {
  const read = scope.batch('page contexts', async (ids) => {
    const found = await query(
      scope.em,
      sql<{ id: string; context: PageContext }>`
        select conversation_id as id, context from agent.page_contexts
         where conversation_id = any(${ids}::uuid[]) and organization_id = ${scope.organizationId}`,
    );
    return new Map(found.map(({ id, context }) => [id, context]));
  });
  return read(conversationId).then((context) => context ?? null);
}

/** Leaves room for later parts below the limit of `Int`. */
const SEQUENCE: Limit = { min: 0, max: 1_000_000_000 };

function* partFaults(messages: unknown, path: string) {
  for (const [index, message] of Array.isArray(messages) ? messages.entries() : []) {
    const isTooLong = isObject(message) && Array.isArray(message.parts) && message.parts.length > MAX_PARTS;
    if (isTooLong) yield `${path}[${index}].parts must have at most ${MAX_PARTS} entries`;
  }
}

/** Its unused parts may have any form, so only their number is validated, by `ChatArguments`. */
const UIMessageScalar = new GraphQLScalarType({
  name: 'UIMessage',
  description: 'A message in the format of the AI SDK: an object with `role`, at most 10,000 `parts` and optionally `id`.',
});

const UIMessageChunkScalar = new GraphQLScalarType({
  name: 'UIMessageChunk',
  description: 'One part of the UI message stream of the AI SDK: an object with `type` and the keys of this type.',
});

export const UIMessagePartScalar = new GraphQLScalarType({
  name: 'UIMessagePart',
  description: 'One part of a stored message in the format of the AI SDK: text, a tool call with its result, or a source.',
});

export class ChatArguments extends args({
  messages: list(UIMessageScalar, {
    minItems: 1,
    maxItems: 10_000,
    faults: partFaults,
    description:
      'Only the last message with the role `user` is read. The stored conversation replaces the others. If the last message is one of the assistant with answered requests for approval, these are decided instead, and the rest of the reply follows.',
  }).as<unknown[]>(),
  conversationId: field(ID, { nullable: true, description: 'The conversation to continue. Default: that of `id`, or a new one.' }),
  id: field(String, {
    maxLength: 128,
    nullable: true,
    description: 'The chat id of the client. Later messages of the same sender with this id continue the conversation.',
  }),
  trigger: field(String, {
    nullable: true,
    description:
      '`regenerate-message` replaces the reply to the last user message of `messages`, and the messages after it. A message that is not stored is added. Other values have no effect.',
  }),
  pageContext: field(GraphQLJSONObject, {
    ...PAGE_CONTEXT,
    nullable: true,
    description:
      'The page on which the user writes, as the page describes it: at most 20 keys with texts, numbers and booleans, and 2,048 bytes of JSON. Agent and operators read it as data that nobody has checked. The conversation keeps the newest one; null removes it.',
  }).as<PageContext>(),
  after: field(Int, {
    ...SEQUENCE,
    defaultValue: 0,
    description: 'The last `sequence` that the client received, to resume a subscription.',
  }),
}) {
  preview?: boolean;
}

export class AdminChatArguments extends args(ChatArguments, {
  preview: field(Boolean, {
    defaultValue: false,
    description: 'Show the requests of tools that write as their results, and send nothing.',
  }),
}) {}

export class ChatReplyArguments extends args({
  conversationId: field(ID, 'The conversation, or the chat id of the client.'),
  after: field(Int, {
    ...SEQUENCE,
    defaultValue: 0,
    description: 'The last `sequence` that the client received. 0 starts with the first part.',
  }),
}) {}

@ObjectType({ description: 'One part of a reply.' })
export class ReplyPart extends output({
  sequence: field(Int, 'Increases with each part of the reply. Numbers may be skipped.'),
  conversationId: field(ID, 'The conversation of the reply.'),
  visitorId: field(String, 'Identifies the visitor in later requests. Keep it secret: it gives access to the conversation.'),
  identityStatus: field(enumTypes.IdentityStatus, 'The result of the identity token of the request.'),
  messageId: field(ID),
  part: field(UIMessageChunkScalar).as<Chunk>(),
}) {}

/** Only documents the form. `visitorOf` checks it, and creates an id for a new visitor. */
export const VISITOR_ID: Limit = { format: 'uuid' };

/** The argument that identifies a visitor. */
export interface VisitorArgument {
  visitorId?: string | null;
}

function visitorArguments(description: string): ClassType<VisitorArgument> {
  @ArgsType()
  class VisitorArguments {
    @Limited(VISITOR_ID)
    @Field(() => String, { nullable: true, description })
    visitorId?: string | null;
  }
  return VisitorArguments;
}

export const NewVisitor = visitorArguments('The visitor id of an earlier reply. A new visitor gets one.');
export const KnownVisitor = visitorArguments('The visitor id of an earlier reply.');
export const ConversationVisitor = visitorArguments('The visitor id of the conversation.');
