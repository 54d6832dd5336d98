import { query, sql } from '../../../platform/database/index.ts';
import type { Limit } from '../../../platform/fields/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { isObject } from '../../../schema/json.ts';
import { isStorable } from '../../../schema/text.ts';

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

export const PAGE_CONTEXT: Limit = { faults };

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
