import type { PageContext, WidgetConfig } from '../widget-contract.ts';

export interface Settings {
  agent: string;
  /** URL of the agent's public endpoints. */
  endpoint: string;
  /** Folder of the script, which also contains the panel. */
  base: string;
  /** Languages in order of preference. */
  languages: readonly string[];
  /** Global variable of the page API. */
  name: string;
  /** The token of a visitor that the page names when it is loaded. */
  identity: string | undefined;
  /** The context of the page as JSON. */
  context: string | undefined;
  /** Undefined follows the system. */
  scheme: 'light' | 'dark' | undefined;
  /** Undefined follows the theme of the agent. */
  position: 'left' | 'right' | undefined;
}

const SCHEMES = ['light', 'dark'] as const;
const POSITIONS = ['left', 'right'] as const;

/** The attributes of the script element. Returns undefined without `data-agent`. */
export function readSettings({ src, dataset }: HTMLScriptElement): Settings | undefined {
  const { agent, lang, name = 'chatWidget', identity, context, scheme, position } = dataset;
  if (!agent) return undefined;
  const base = new URL('./', src).href;
  return {
    agent,
    endpoint: new URL(`api/agents/${encodeURIComponent(agent)}`, base).href,
    base,
    languages: lang ? [lang] : navigator.languages,
    name,
    identity: identity || undefined,
    context,
    scheme: SCHEMES.find((each) => each === scheme),
    position: POSITIONS.find((each) => each === position),
  };
}

/** Milliseconds before each retry of a configuration that could not be loaded. */
const RETRIES = [2_000, 10_000, 60_000];

/** The configuration of the agent. Returns undefined, and says why, when the page cannot show the widget. */
export async function loadConfig({ endpoint, agent }: Settings, attempt = 0): Promise<WidgetConfig | undefined> {
  const response = await fetch(`${endpoint}/config`, { credentials: 'omit' }).catch(() => undefined);
  if (!response || response.status >= 500 || response.status === 429) {
    const delay = RETRIES[attempt];
    if (delay === undefined) return void report(`The configuration of the agent "${agent}" could not be loaded from ${endpoint}.`);
    await new Promise((resolve) => setTimeout(resolve, delay));
    return loadConfig({ endpoint, agent } as Settings, attempt + 1);
  }
  if (!response.ok)
    return void report(
      `There is no public agent "${agent}". Copy data-agent from the embed snippet of the agent, and turn on its public access in the dashboard.`,
    );
  const config = (await response.json()) as WidgetConfig;
  if (config.originAllowed) return config;
  return void report(
    `Pages of ${config.origin ?? location.origin} may not embed the agent "${config.name}". ` +
      `In the dashboard, open Agents → ${config.name} → Allowed origins, and add exactly: ${config.origin ?? location.origin}`,
  );
}

/** Tell the developer of the page what to change. Visitors see nothing. */
export const report = (text: string): void => console.error(`[chat widget] ${text}`);

/** The limits of the service. */
const [MAX_KEYS, MAX_KEY, MAX_BYTES] = [20, 64, 2_048];
/** Characters that the service cannot store. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/**
 * A copy of the context that the page gives, without empty values. Undefined, and the console says why, if the service would refuse it: a
 * message without context is better than none.
 */
export function readContext(given: unknown): PageContext | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'object' || Array.isArray(given)) return refuse('must be an object');
  const entries = Object.entries(given).filter(([, value]) => value !== undefined && value !== null) as [string, unknown][];
  if (entries.length === 0) return undefined;
  if (entries.length > MAX_KEYS) return refuse(`must have at most ${MAX_KEYS} keys`);
  for (const [key, value] of entries) {
    if (key.trim() === '' || key.length > MAX_KEY || UNSTORABLE.test(key))
      return refuse(`must have keys of 1 to ${MAX_KEY} characters`);
    const isPlain = ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
    if (!isPlain || UNSTORABLE.test(String(value))) return refuse(`has a value that is no text, number or boolean: ${key}`);
  }
  const context = Object.fromEntries(entries) as PageContext;
  const { length } = new TextEncoder().encode(JSON.stringify(context));
  return length > MAX_BYTES ? refuse(`has ${length} bytes of JSON, and must have at most ${MAX_BYTES}`) : context;
}

/** The context in an attribute of the script element. */
export function parseContext(text: string | undefined): PageContext | undefined {
  try {
    return text ? readContext(JSON.parse(text)) : undefined;
  } catch {
    return refuse('is no JSON in data-context');
  }
}

function refuse(fault: string): undefined {
  report(`The context of the page ${fault}. Messages are sent without it.`);
}
