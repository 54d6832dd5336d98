import { environment, type Name, topics } from '../../schema/environment.ts';
import { type WebhookEventType, webhookEvents } from '../../schema/webhook-events.ts';

interface Described {
  meaning: string;
  default?: string;
}

/** The variables that a new installation sets first. */
const first: Name[] = [
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'SECRETS_KEY',
  'DATA_DIR',
  'PORT',
  'HOST',
  'PUBLIC_URL',
  'SITE_HOST',
  'TLS_CERT',
  'TLS_KEY',
  'TRUST_PROXY',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'MODEL_BUDGET',
  'MODEL_PRO',
  'MODEL_CHAT',
  'MODEL_EMBEDDING',
  'OIDC_ISSUER',
  'CRON_SECRET',
  'METRICS_PORT',
];

const table = (variables: [string, Described][]): string => {
  const rows = variables.map(([name, { default: fallback, meaning }]) => [
    `\`${name}\``,
    fallback ? `\`${fallback}\`` : '',
    meaning.replaceAll('|', '\\|'),
  ]);
  return [['Name', 'Default', 'Meaning'], ['---', '---', '---'], ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};

/** The README with its table of the variables to set first. */
export const withFirstSettings = (readme: string): string =>
  readme.replace(/(?<=<!-- settings -->\n).*?(?=\n<!-- \/settings -->)/s, () =>
    table(first.map((name) => [name, environment[name]])),
  );

/** The page `docs/configuration.md`: every variable, by topic. */
export function configurationPage(): string {
  const sections = Object.entries(topics).map(([title, variables]) => `## ${title}\n\n${table(Object.entries(variables))}\n`);
  return `<!-- \`npm run schema\` writes this page from schema/environment.ts. -->
# Configuration

Every process reads its settings from environment variables when it starts, and reports all faults at once. \`npm start\` needs none. A process
ignores the variables of other processes, so all of them can have the same environment. An empty variable counts as unset.

Set \`DATABASE_URL\`, \`TEMPORAL_ADDRESS\` and \`SECRETS_KEY\` first, then the address that callers use (\`PUBLIC_URL\`) and the model provider.
[Install](operations/install.md) explains how the parts run.

${sections.join('\n')}`;
}

/** The page with the tables of all events between its markers. */
export const fillEvents = (page: string): string =>
  Object.entries(webhookEvents).reduce(
    (text, [surface, events]) =>
      text.replace(
        new RegExp(`(<!-- events of ${surface} -->\n)[^]*?(<!-- end -->)`),
        (_, start: string, end: string) => `${start}${tableOf(events)}\n${end}`,
      ),
    page,
  );

function tableOf(events: Readonly<Record<string, WebhookEventType>>): string {
  const shown = new Map<object, string>();
  const rows = Object.entries(events).map(([event, { summary, data, nullable = [] }]) => {
    const known = shown.get(data);
    shown.set(data, known ?? event);
    const mayBeNull = nullable.length > 0 ? ` May be null: ${nullable.map((name) => `\`${name}\``).join(', ')}.` : '';
    const sample = known ? `like \`${known}\`` : `\`${JSON.stringify(data)}\`${mayBeNull}`;
    return `| \`${event}\` | ${summary} | ${sample} |`;
  });
  return ['| Event | Sent when | Data |', '|---|---|---|', ...rows].join('\n');
}
