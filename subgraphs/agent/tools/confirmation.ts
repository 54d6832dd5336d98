import { storable, truncate } from '../../../schema/text.ts';
import type { Tool, ToolRequest } from './entity.ts';
import { type Place, render, type TemplateVisitor } from './templates.ts';

/** Characters of one value, and of the whole question. */
const [MAX_VALUE, MAX_TEXT] = [200, 2_000];

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
  return `“${plain.length > MAX_VALUE ? `${truncate(plain, MAX_VALUE)}…` : plain}”`;
}

const inQuestion: Place = { escape: quoted };

/** The question to the approving person. It comes from the owner and the arguments, and never from the words of the model. */
export function confirmationOf(
  { name, confirmation }: Pick<Tool, 'name' | 'confirmation'>,
  params: Record<string, unknown>,
  { method, url }: ToolRequest,
  visitor: TemplateVisitor | null,
): string {
  const text = confirmation
    ? render(confirmation, { params, secrets: new Map(), visitor }, inQuestion).text
    : [
        `${name} (${method} ${URL.parse(url)?.host ?? ''})`,
        ...Object.entries(params).map(([key, value]) => `${nameOf(key)}: ${quoted(value)}`),
      ].join('\n');
  return truncate(text, MAX_TEXT);
}

const nameOf = (key: string): string =>
  truncate(
    key
      .replace(INVISIBLE, ' ')
      .replace(/[“”:\s]+/g, ' ')
      .trim(),
    64,
  );
