import { useStrings } from '../strings/strings.tsx';

/** The checks of the fields of a webhook. The server has the last word. */
export function useRules() {
  const { webhooks } = useStrings();
  return {
    url: (url: string) => (/^https?:\/\/[^\s/]+/.test(url) ? null : webhooks.wrongUrl),
    text: (text: string) => (text.trim() ? null : webhooks.required),
    events: (events: readonly string[]) => (events.length > 0 ? null : webhooks.chooseEvents),
  };
}
