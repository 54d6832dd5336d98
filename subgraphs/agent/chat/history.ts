import { readRows } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { Message } from '../conversations/entity.ts';

/** A message of the conversation as the model sees it. */
export interface HistoryMessage {
  role: 'user' | 'assistant';
  text: string;
  position: number;
  tokens: number;
}

/** Tokens of earlier messages in a prompt. */
export const BUDGET = 8_000;
const MAX_MESSAGES = 100;
const COLUMNS = ['position', 'role', 'text', 'tokens', 'authorName'] as const;

/** Characters per token where the tokens of a message were not counted. */
const CHARACTERS = 3;

/**
 * The messages up to the last one of the user, the newest ones that fit into the prompt, oldest first. Replies that failed or were replaced
 * are left out, and so is what a person wrote after the message that is answered again.
 */
export async function readHistory(scope: Scope, conversationId: string, after = 0): Promise<HistoryMessage[]> {
  const found = await readMessages(scope, conversationId, { after, newestFirst: true, limit: MAX_MESSAGES });
  const asked = found.findIndex(({ role }) => role === 'user');
  let room = BUDGET;
  const fitting = found.slice(Math.max(asked, 0)).filter(({ tokens }, index) => {
    room -= tokens;
    // The message to answer always fits.
    return room >= 0 || index === 0;
  });
  return fitting.reverse();
}

interface Slice {
  /** Position of the last message before the slice. */
  after: number;
  newestFirst: boolean;
  limit: number;
}

/** The messages of a conversation that a model may see. Those of a person read as messages of the assistant that name their author. */
export async function readMessages(
  scope: Scope,
  conversationId: string,
  { after, newestFirst, limit }: Slice,
): Promise<HistoryMessage[]> {
  const rows = await readRows(
    scope,
    Message,
    {
      columns: COLUMNS,
      where: { conversationId, replaced: false },
      matching: (bind) => `r.status in ('complete', 'stopped') and r.text <> '' and r.position > ${bind(after)}`,
      orderBy: { position: newestFirst ? 'desc' : 'asc' },
    },
    { limit, offset: 0 },
  );
  return rows.map(({ role, text, position, tokens, authorName }) => ({
    role: role === 'user' ? 'user' : 'assistant',
    text: role === 'operator' ? `[${authorName}, a person of the team, wrote:] ${text}` : text,
    position,
    tokens: tokens ?? Math.ceil(text.length / CHARACTERS),
  }));
}
