import { randomId } from '../random-id.ts';
import type { PanelContext, Session, WidgetEvents } from '../widget-contract.ts';
import { report, type Settings } from './settings.ts';

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

interface Identity {
  status: WidgetEvents['identity']['status'];
  error: string | null;
  expiresAt: string | null;
}

/** The signed-in visitor of the page. The token stays in memory, because the page names its visitor each time it is loaded. */
export class VisitorOfPage {
  token: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly session: PanelContext['session'],
    private readonly on: { changed(): void; identity(detail: WidgetEvents['identity']): void },
  ) {
    const { isNamedByPage } = session.read();
    if (settings.identity) this.identify(settings.identity, true);
    // The page named a visitor before, and does so no more.
    else if (isNamedByPage) this.#forget();
  }

  /** A token of another person begins a new session first, so that nobody reads the messages of somebody else. */
  identify(token: string, isNamedByPage = false): void {
    const subject = subjectOf(token);
    const before = this.session.read().subject;
    if (before !== undefined && before !== subject) this.#forget();
    const isFirst = before !== subject;
    this.token = token;
    this.session.write({ subject, isNamedByPage });
    if (isFirst) this.on.changed();
    void this.#check(token);
  }

  signOut(): void {
    this.#forget();
    this.on.changed();
    this.on.identity({ status: 'none', error: null });
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.token = undefined;
    this.session.write({
      visitorId: randomId(),
      chatId: randomId(),
      conversationId: undefined,
      isStarted: false,
      isFresh: false,
      subject: undefined,
      isNamedByPage: false,
    });
  }

  /** Tell the page whether the token is valid, and when it has expired. The chat continues as that of a stranger. */
  async #check(token: string): Promise<void> {
    const { endpoint } = this.settings;
    const response = await fetch(`${endpoint}/identity`, { headers: { 'x-identity-token': token }, credentials: 'omit' }).catch(
      () => undefined,
    );
    if (!response?.ok || this.token !== token) return;
    const { status, error, expiresAt } = (await response.json()) as Identity;
    if (this.token !== token) return;
    if (error) report(`${error} The visitor is a stranger to the agent.`);
    this.on.identity({ status, error });
    clearTimeout(this.#timer);
    if (!expiresAt) return;
    const expire = () => this.on.identity({ status: 'expired', error: 'The identity token has expired.' });
    this.#timer = setTimeout(expire, Date.parse(expiresAt) - Date.now());
  }
}

/** The subject of a token, unverified; undefined for text that is no token. */
function subjectOf(token: string): string | undefined {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const { sub } = JSON.parse(atob(payload)) as { sub?: unknown };
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}
