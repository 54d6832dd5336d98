import type { WidgetConfig } from '../widget-contract.ts';

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
