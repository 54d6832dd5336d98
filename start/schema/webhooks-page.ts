import { type WebhookEventType, webhookEvents } from '../../schema/webhook-events.ts';

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
