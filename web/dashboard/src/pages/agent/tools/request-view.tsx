import { Labeled } from '../../../parts/chat/tool-call-view.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import type { ToolCall } from './documents.ts';

/** A request that was sent, as text. The server masks secrets. */
export function RequestView({ request }: { request: NonNullable<ToolCall['request']> }) {
  const { agents } = useStrings();
  const { method, url, headers, body } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return <Labeled label={agents.request} text={[`${method} ${url}`, ...lines, ...(body ? ['', body] : [])].join('\n')} />;
}
