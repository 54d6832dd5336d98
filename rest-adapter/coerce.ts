import type { GraphQLInputType } from 'graphql';
import { getNullableType, isInputObjectType, isListType } from 'graphql';
import { isObject } from '../schema/json.ts';

/** Turns text into a value of its GraphQL type. Text that does not fit the type stays text, for GraphQL to refuse. */
export type Read = (value: unknown) => unknown;

const scalars: Record<string, (text: string) => unknown> = {
  Int: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  Float: (text) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text),
  Boolean: (text) => ({ true: true, false: false })[text] ?? text,
};

const readScalar = (name: string, value: unknown): unknown =>
  typeof value === 'string' ? (scalars[name]?.(value) ?? value) : value;

/** Reads a path or query parameter. A list repeats the parameter or separates its items by commas. */
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

/** Reads a field of a form. A list repeats the field or is JSON; an object has keys in brackets or is JSON. */
export function formReader(given: GraphQLInputType): Read {
  const type = getNullableType(given);
  if (isListType(type)) {
    const item = formReader(type.ofType);
    return (value) => [parseJson(value, '[')].flat().map(item);
  }
  if (!isInputObjectType(type)) {
    // A form cannot express null otherwise.
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

/** The value of text that is JSON of the wanted kind; anything else is returned as it is. */
function parseJson(value: unknown, opening: '[' | '{'): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith(opening)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
