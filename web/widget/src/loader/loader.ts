import { loadConfig, readContext, readSettings, report, type Settings } from './settings.ts';
import { type Events, Widget } from './widget.ts';

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
