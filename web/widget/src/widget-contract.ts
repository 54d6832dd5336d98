import type { Strings } from './strings/en.ts';

/** The answer of `GET /api/agents/{publicSlug}/config`. */
export interface WidgetConfig {
  name: string;
  welcomeMessage: string;
  placeholder: string;
  suggestedMessages: string[];
  theme: Record<string, unknown>;
  branding: Record<string, unknown>;
  features: { voice: boolean; handoff: boolean };
  originAllowed: boolean;
  origin: string | null;
}

/** The events of the page API, with the details that listeners receive. */
export interface WidgetEvents {
  ready: { agent: string };
  open: undefined;
  close: undefined;
  message: { role: 'user' | 'assistant' | 'operator'; text: string };
  unread: { count: number };
  handoff: { status: HandoffStatus; operatorName: string | null };
  identity: { status: IdentityStatus; error: string | null };
}

/** The result of an identity token; `none` after the sign-out. */
type IdentityStatus = 'none' | 'verified' | 'expired' | 'invalid' | 'unavailable';

export type HandoffStatus = 'waiting' | 'active' | 'returned' | 'closed';

/** The visitor and the conversation, stored until the tab is closed. */
export interface Session {
  visitorId: string;
  /** Chosen by the widget, so that a repeated first message finds its conversation. */
  chatId: string;
  /** Whether the visitor asked for a new conversation. */
  isFresh?: boolean;
  /** Whether a message was sent. */
  isStarted?: boolean;
  conversationId?: string;
  isOpen?: boolean;
  /** Whether the conversation has the context of a page. */
  hasContext?: boolean;
  /** The signed-in visitor, and whether the script element named it. */
  subject?: string;
  isNamedByPage?: boolean;
}

/** A page as it describes itself. */
export type PageContext = Record<string, string | number | boolean>;

/** The interface of the loader for the panel. Cached loaders call newer panels, so only optional members may be added. */
export interface PanelContext {
  container: HTMLElement;
  shadow: ShadowRoot;
  /** URL of the agent's public endpoints. */
  endpoint: string;
  config: WidgetConfig;
  strings: Strings;
  language: string;
  session: { read(): Session; write(change: Partial<Session>): void };
  /** The token of the signed-in visitor. */
  identityToken?(): string | undefined;
  /** The context of the page, for the next message. */
  pageContext?(): PageContext | undefined;
  emit<E extends keyof WidgetEvents>(event: E, detail: WidgetEvents[E]): void;
  setUnread(count: number): void;
  /** Called by the close button and the Escape key. */
  close(): void;
}

/** The interface of the panel for the loader. */
export interface Panel {
  show(options: { focus: boolean }): void;
  hide(): void;
  send(text: string): void;
  /** The visitor has changed: forget the messages, and read those of the session. */
  restart?(): void;
}

export type MountPanel = (context: PanelContext) => Panel;
