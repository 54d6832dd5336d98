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
  /** Undefined follows the system. */
  scheme: 'light' | 'dark' | undefined;
  /** Undefined follows the theme of the agent. */
  position: 'left' | 'right' | undefined;
}

const SCHEMES = ['light', 'dark'] as const;
const POSITIONS = ['left', 'right'] as const;

/** The attributes of the script element. Returns undefined without `data-agent`. */
export function readSettings({ src, dataset }: HTMLScriptElement): Settings | undefined {
  const { agent, lang, name = 'chatWidget', scheme, position } = dataset;
  if (!agent) return undefined;
  const base = new URL('.', src).href;
  return {
    agent,
    endpoint: new URL(`api/agents/${encodeURIComponent(agent)}`, base).href,
    base,
    languages: lang ? [lang] : navigator.languages,
    name,
    scheme: SCHEMES.find((each) => each === scheme),
    position: POSITIONS.find((each) => each === position),
  };
}
