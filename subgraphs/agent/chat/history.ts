import { readRows } from '../../common/rows.ts';
import type { Scope } from '../../common/scope.ts';
import { Message } from '../conversations/entity.ts';

/** A message of the conversation as the model sees it. */
export interface HistoryMessage {
  role: 'user' | 'assistant';
  text: string;
  position: number;
}

/** Characters of earlier messages in a prompt, about 8,000 tokens. */
export const BUDGET = 32_000;
const MAX_MESSAGES = 100;
const COLUMNS = ['position', 'role', 'text'] as const;

/** The newest messages that fit into the prompt, oldest first. Replies that failed or were replaced are left out. */
export async function readHistory(scope: Scope, conversationId: string, after = 0): Promise<HistoryMessage[]> {
  const found = await readRows(
    scope,
    Message,
    {
      columns: COLUMNS,
      where: { conversationId, replaced: false },
      matching: (bind) => `r.status in ('complete', 'stopped') and r.text <> '' and r.position > ${bind(after)}`,
      orderBy: { position: 'desc' },
    },
    { limit: MAX_MESSAGES, offset: 0 },
  );
  let room = BUDGET;
  const fitting = found.filter(({ text }, index) => {
    room -= text.length;
    // The message to answer always fits.
    return room >= 0 || index === 0;
  });
  return fitting.reverse().map(({ position, role, text }) => ({ position, role, text }));
}
