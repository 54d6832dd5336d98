import type { GraphQLInputType } from 'graphql';
import { getNullableType, isInputObjectType, isListType } from 'graphql';
import { isObject } from '../../schema/json.ts';

/** Converts text to a value of a GraphQL type. Invalid text stays text, so that GraphQL rejects it. */
export type Read = (value: unknown) => unknown;

function withoutNul(text: string): string {
  return text.includes('\0') ? '' : text;
}

const scalars: Record<string, (text: string) => unknown> = {
  Int: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  Float: (text) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text),
  Boolean: (text) => ({ true: true, false: false })[text] ?? text,
  // These scalars ignore invalid text, but the gateway would reject this character.
  Since: withoutNul,
  ListLimit: withoutNul,
};

const readScalar = (name: string, value: unknown): unknown =>
  typeof value === 'string' ? (scalars[name]?.(value) ?? value) : value;

/** Create a reader of a path or query parameter. A list repeats the parameter or separates items by commas. */
export function urlReader(given: GraphQLInputType): Read {
  const type = getNullableType(given);
  if (!isListType(type)) return (value) => readScalar(String(type), value);
  const item = String(getNullableType(type.ofType));
  return (value) =>
    [value]
      .flat()
      .flatMap((text) => String(text).split(','))
      .filter(Boolean)
      .map((text) => readScalar(item, text));
}

/** Create a reader of a form field. A list repeats the field or is JSON; an object has keys in brackets or is JSON. */
export function formReader(given: GraphQLInputType): Read {
  const type = getNullableType(given);
  if (isListType(type)) {
    const item = formReader(type.ofType);
    return (value) => [parseJson(value, '[')].flat().map(item);
  }
  if (!isInputObjectType(type)) {
    // Empty text is the only way to express null in a form.
    const empty = type === given && type.name === 'ID' ? null : '';
    return (value) => (value === '' ? empty : readScalar(type.name, value));
  }
  return (value) => {
    const object = parseJson(value, '{');
    if (!isObject(object)) return object;
    const fields = type.getFields();
    return Object.fromEntries(
      Object.entries(object).map(([name, each]) => [
        name,
        Object.hasOwn(fields, name) ? formReader(fields[name]!.type)(each) : each,
      ]),
    );
  };
}

/** Parse text that starts with this bracket as JSON. Other values and invalid JSON are returned unchanged. */
function parseJson(value: unknown, opening: '[' | '{'): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith(opening)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
