import { randomId } from '../random-id.ts';
import type { PanelContext, Session } from '../widget-contract.ts';

/**
 * The ids of the visitor and the conversation. `sessionStorage` keeps them for this tab and this origin; without it, they last until the
 * page is left.
 */
export function openSession(endpoint: string): PanelContext['session'] & { isStored: boolean } {
  const key = `chat-widget:${endpoint}`;
  const stored = attempt(() => JSON.parse(sessionStorage.getItem(key) ?? 'null') as Session | null);
  const isStored = typeof stored?.visitorId === 'string' && typeof stored.chatId === 'string';
  let session: Session = isStored ? stored : { visitorId: randomId(), chatId: randomId() };
  return {
    isStored,
    read: () => session,
    write(change) {
      session = { ...session, ...change };
      attempt(() => sessionStorage.setItem(key, JSON.stringify(session)));
    },
  };
}

/** Storage throws where the browser blocks it. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
