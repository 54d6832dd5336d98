import { isObject } from '../../../schema/json.ts';
import type { ChatRequest } from '../openai-protocol.ts';

interface Question {
  columns: { column: string; samples: string[] }[];
  fields: string[];
  attributes: { slug: string; name: string; unit: string | null }[];
}

const isQuestion = (value: unknown): value is Question =>
  isObject(value) && Array.isArray(value.columns) && Array.isArray(value.attributes) && Array.isArray(value.fields);

/** The question about columns in a request; undefined if it contains none. */
export function readColumnQuestion(messages: ChatRequest['messages']): Question | undefined {
  try {
    const parsed: unknown = JSON.parse(messages.findLast(({ role }) => role === 'user')?.text ?? '');
    return isQuestion(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];

/** Finds the attribute that shares a word with a header. Columns of numbers and of words that it does not know become new attributes. */
export function nameColumns({ columns, attributes }: Question) {
  const free = new Set(attributes);
  const named = columns.map(({ column, samples }) => {
    const words = wordsOf(column);
    const found = [...free].find(({ slug, name }) => wordsOf(`${slug} ${name}`).some((word) => words.includes(word)));
    if (found) free.delete(found);
    const isNumber = samples.length > 0 && samples.every((cell) => /^[\d.,]+$/.test(cell));
    const isNew = !found && words.length > 0 && samples.length > 0;
    return {
      ...{ column, field: null, attribute: found?.slug ?? null, unit: null },
      newName: isNew ? column : null,
      newType: isNew ? (isNumber ? 'number' : 'text') : null,
    };
  });
  return { columns: named };
}
