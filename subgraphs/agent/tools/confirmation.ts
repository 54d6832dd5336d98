import { isObject } from '../../../schema/json.ts';
import { storable, truncate } from '../../../schema/text.ts';
import type { Tool, ToolRequest } from './entity.ts';
import { type Place, render, type Values } from './templates.ts';

/** Characters of one value, and of the whole question. */
const [MAX_VALUE, MAX_TEXT] = [500, 4_000];

/** Characters that change how other text looks, or that nobody sees. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/** A value as a person reads it: on one line and in quotes, so that no value reads as a part of the question. */
function quoted(value: unknown): string {
  if (value === undefined || value === null) return '“”';
  const text = storable(typeof value === 'object' ? JSON.stringify(value) : String(value));
  const plain = text
    .replace(INVISIBLE, ' ')
    .replace(/[“”„‟"«»]/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
  const shown = truncate(plain, MAX_VALUE);
  return shown === plain ? `“${plain}”` : `“${shown}…” (and ${plain.length - shown.length} more characters)`;
}

const inQuestion: Place = { escape: quoted };

interface Call {
  /** The arguments, by names that the model may have invented. */
  params: Record<string, unknown>;
  request: ToolRequest;
  visitor: Values['visitor'];
  /** Whether the call could carry personal data to another host. The question then names the host. */
  carriesAway: boolean;
}

/** The question to the approving person. It comes from the owner and the arguments, and never from the words of the model. */
export function confirmationOf(tool: Pick<Tool, 'name' | 'confirmation' | 'inputSchema'>, call: Call): string {
  const { params, visitor, carriesAway } = call;
  const { confirmation } = tool;
  const asked = confirmation && render(confirmation, { params, secrets: new Map(), visitor }, inQuestion).text;
  // The host comes first, so that no long value moves it out of the question.
  const text = asked && !carriesAway ? asked : [described(tool, call), asked].filter(Boolean).join('\n');
  const shown = truncate(text, MAX_TEXT);
  return shown === text ? text : `${shown}…\n(${text.length - shown.length} more characters are not shown)`;
}

/** The tool, its host and its arguments. Only declared arguments have names. */
function described({ name, inputSchema: { properties } }: Pick<Tool, 'name' | 'inputSchema'>, { params, request }: Call): string {
  const declared = isObject(properties) ? Object.keys(properties) : [];
  const named = Object.keys(params).filter((key) => declared.includes(key));
  const others = Object.fromEntries(Object.entries(params).filter(([key]) => !declared.includes(key)));
  return [
    `${name} (${request.method} ${URL.parse(request.url)?.host ?? ''})`,
    ...named.map((key) => `${nameOf(key)}: ${quoted(params[key])}`),
    ...(Object.keys(others).length > 0 ? [`Further values: ${quoted(others)}`] : []),
  ].join('\n');
}

const nameOf = (key: string): string =>
  truncate(
    key
      .replace(INVISIBLE, ' ')
      .replace(/[“”:\s]+/g, ' ')
      .trim(),
    64,
  );
