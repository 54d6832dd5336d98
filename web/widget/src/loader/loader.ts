import { panelFile } from 'virtual:panel';
import { de } from '../strings/de.ts';
import { en, type Strings } from '../strings/en.ts';
import type { MountPanel, PageContext, Panel, WidgetConfig, WidgetEvents } from '../widget-contract.ts';
import { createFrame, createLauncher, type Launcher } from './frame.ts';
import { openSession, VisitorOfPage } from './page-visitor.ts';
import { loadConfig, parseContext, readContext, readSettings, report, type Settings } from './settings.ts';

/** Windows in which the panel leaves little of the page visible. The style sheets have the same condition. */
const COVERED = '(max-width: 480px), (max-height: 480px)';

/** One embedded agent: its button, and its panel once somebody opens it. */
export class Widget {
  readonly events = new Events();
  readonly #session;
  readonly visitor: VisitorOfPage;
  /** The context of the page, which each message brings along. */
  context: PageContext | undefined;
  #view: { frame: HTMLElement; shadow: ShadowRoot; launcher: Launcher; config: WidgetConfig } | undefined;
  #panel: Promise<Panel | undefined> | undefined;
  #isOpen = false;
  #isLoading = false;
  /** Failed attempts to load the panel. */
  #failures = 0;
  #unread = 0;
  /** Calls of the page before the configuration is loaded. */
  #waiting: (() => void)[] = [];

  constructor(private readonly settings: Settings) {
    this.#session = openSession(settings.endpoint);
    this.context = parseContext(settings.context);
    this.visitor = new VisitorOfPage(settings, this.#session, {
      changed: () => void this.#panel?.then((panel) => panel?.restart?.()),
      identity: (detail) => this.events.emit('identity', detail),
    });
  }

  /** Show the button. Continues a conversation of this tab, and in large windows opens the panel again. */
  show(config: WidgetConfig): void {
    const { strings } = stringsFor(this.settings.languages);
    const { frame, shadow } = createFrame(config.theme, this.settings);
    const launcher = createLauncher(config.name, strings, () => (this.#isOpen ? this.close() : this.open()));
    frame.append(launcher.element);
    this.#view = { frame, shadow, launcher, config };
    this.events.emit('ready', { agent: this.settings.agent });
    for (const call of this.#waiting.splice(0)) call();
    const { isStarted, isOpen } = this.#session.read();
    // A page may have named its visitor without a conversation.
    if (this.#isOpen || !this.#session.isStored || !(isStarted || isOpen !== undefined)) return;
    if (isOpen && !matchMedia(COVERED).matches) this.open({ focus: false });
    else void this.#load();
  }

  open({ focus = true } = {}): void {
    if (!this.#view) return void this.#waiting.push(() => this.open({ focus }));
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#session.write({ isOpen: true });
    this.#setUnread(0);
    void this.#withPanel((panel) => {
      if (!this.#isOpen) return;
      this.#update();
      panel.show({ focus });
      this.events.emit('open', undefined);
    });
  }

  close(): void {
    if (!this.#view) return void this.#waiting.push(() => this.close());
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#session.write({ isOpen: false });
    const hadFocus = this.#view.shadow.activeElement !== null;
    this.#update();
    void this.#withPanel((panel) => panel.hide());
    if (hadFocus) this.#view.launcher.focus();
    this.events.emit('close', undefined);
  }

  /** Open the panel and send a message as the visitor. */
  send(text: string): void {
    if (!this.#view) return void this.#waiting.push(() => this.send(text));
    this.open();
    void this.#withPanel((panel) => panel.send(text));
  }

  async #withPanel(work: (panel: Panel) => void): Promise<void> {
    const panel = await this.#load();
    if (panel) work(panel);
  }

  #load(): Promise<Panel | undefined> {
    this.#panel ??= this.#mount().catch((error: unknown) => {
      report(`The panel could not be loaded. A content security policy must allow ${this.settings.base} in script-src. ${error}`);
      // The next click tries again.
      this.#panel = undefined;
      this.#failures += 1;
      this.#isOpen = false;
      this.#update();
      return undefined;
    });
    return this.#panel;
  }

  async #mount(): Promise<Panel> {
    const { frame, shadow, config } = this.#view!;
    this.#isLoading = true;
    this.#update();
    const container = document.createElement('div');
    try {
      const { mountPanel } = (await import(/* @vite-ignore */ this.#panelUrl())) as { mountPanel: MountPanel };
      frame.prepend(container);
      return mountPanel({
        container,
        shadow,
        endpoint: this.settings.endpoint,
        config,
        ...stringsFor(this.settings.languages),
        session: this.#session,
        identityToken: () => this.visitor.token,
        pageContext: () => this.context,
        emit: (event, detail) => this.events.emit(event, detail),
        setUnread: (count) => this.#setUnread(count),
        close: () => this.close(),
      });
    } catch (error) {
      container.remove();
      throw error;
    } finally {
      this.#isLoading = false;
      this.#update();
    }
  }

  /** Browsers remember the failure of a module by its URL, so that each retry needs another one. */
  #panelUrl(): string {
    const url = new URL(panelFile, this.settings.base);
    if (this.#failures > 0) url.searchParams.set('retry', String(this.#failures));
    return url.href;
  }

  #setUnread(count: number): void {
    if (count !== this.#unread) this.events.emit('unread', { count });
    this.#unread = count;
    this.#update();
  }

  #update(): void {
    const { frame, launcher } = this.#view!;
    const isOpen = this.#isOpen && !this.#isLoading;
    frame.toggleAttribute('data-open', isOpen);
    launcher.update({ isOpen, isLoading: this.#isLoading && this.#isOpen, unread: this.#unread });
  }
}

type Listener<E extends keyof WidgetEvents> = (detail: WidgetEvents[E]) => void;

/** Listeners of the page. A listener that throws does not stop the others. */
export class Events {
  readonly #listeners = new Map<string, Set<(detail: never) => void>>();

  /** Returns a function that removes the listener. */
  on<E extends keyof WidgetEvents>(event: E, listener: Listener<E>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  emit<E extends keyof WidgetEvents>(event: E, detail: WidgetEvents[E]): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        (listener as Listener<E>)(detail);
      } catch (error) {
        console.error(error);
      }
    }
  }
}

const languages: Record<string, Strings> = { en, de };

/** The texts of the first supported language in the list, such as `de-AT`; English without one. */
function stringsFor(wanted: readonly string[]): { language: string; strings: Strings } {
  const known = wanted.map((tag) => tag.toLowerCase().split('-')[0]!).find((tag) => Object.hasOwn(languages, tag)) ?? 'en';
  return { language: known, strings: languages[known]! };
}

/** The page API, a global variable. Calls before the widget is visible wait for it. */
export interface PageApi {
  open(): void;
  close(): void;
  /** Open the panel and send a message as the visitor. */
  send(text: string): void;
  /** Name the signed-in visitor by a token of the site, also later in a conversation and before the token expires. */
  identify(token: string): void;
  /** The visitor is a stranger again, without the conversation. */
  signOut(): void;
  /** Describe the page, such as its product, for the next messages; null or nothing removes the description. */
  setContext(context?: Record<string, unknown> | null): void;
  /** Returns a function that removes the listener. */
  on: Events['on'];
}

function expose(widget: Widget, { name }: Settings): void {
  const api: PageApi = {
    open: () => widget.open(),
    close: () => widget.close(),
    send: (text) => widget.send(String(text)),
    identify: (token) => widget.visitor.identify(String(token)),
    signOut: () => widget.visitor.signOut(),
    setContext: (context) => {
      widget.context = readContext(context);
    },
    on: (event, listener) => widget.events.on(event, listener),
  };
  Object.defineProperty(window, name, { value: Object.freeze(api), configurable: true });
}

async function start(script: HTMLScriptElement): Promise<void> {
  const settings = readSettings(script);
  if (!settings) return report('The script element needs the attribute data-agent. Copy the embed snippet of the agent.');
  const { name } = settings;
  if (name in window) return report(`The global variable "${name}" already exists. Give each widget of a page its own data-name.`);
  const widget = new Widget(settings);
  expose(widget, settings);
  const config = await loadConfig(settings);
  if (config) widget.show(config);
}

const { currentScript } = document;
if (currentScript instanceof HTMLScriptElement) void start(currentScript);
else report('Embed widget.js with a classic script element, not as a module.');
