import type { GraphQLEnumType, GraphQLScalarType } from 'graphql';
import { isEnumType } from 'graphql';
import type { Faults } from './faults.ts';
import { printable } from './faults.ts';
import { deepest, numberFault, textFault, valueFault } from './input.ts';

/**
 * Scalars whose reading can refuse a value, by name. What they throw is the sentence: 'must be one of …' gets the path in front,
 * one that starts with a capital stands as it is.
 */
export type Scalars = Readonly<Record<string, Pick<GraphQLScalarType, 'parseValue'>>>;

export type Read = (value: unknown, faults: Faults, depth: number) => unknown;

const refusing =
  (fault: (value: unknown) => string | undefined, read: (value: unknown) => unknown = (value) => value): Read =>
  (value, faults) => {
    const says = fault(value);
    if (says) faults.add(says);
    return read(value);
  };

const text = (value: unknown) => (typeof value === 'string' ? textFault(value) : 'must be a string');
const least = -(2 ** 31);
const largest = 2 ** 31 - 1;

const builtIn: Record<string, Read> = {
  String: refusing(text),
  ID: refusing((value) => (typeof value === 'number' && Number.isSafeInteger(value) ? undefined : text(value)), String),
  Boolean: refusing((value) => (typeof value === 'boolean' ? undefined : 'must be true or false')),
  Float: refusing((value) => (typeof value === 'number' ? numberFault(value) : 'must be a number')),
  Int: refusing((value) => {
    if (!Number.isInteger(value)) return 'must be an integer';
    if ((value as number) < least || (value as number) > largest) return `must be an integer between ${least} and ${largest}`;
  }),
};

export function compileLeaf(type: GraphQLScalarType | GraphQLEnumType, scalars: Scalars): Read {
  if (isEnumType(type)) {
    const names = new Set(type.getValues().map(({ name }) => name));
    const says = `must be one of ${[...names].join(', ')}`;
    return refusing((value) => (names.has(value as string) ? undefined : says));
  }
  return builtIn[type.name] ?? compileScalar(scalars[type.name]);
}

/** The scalar judges, but the value goes on as it came: its subgraph reads it once more. */
function compileScalar(scalar: Scalars[string] | undefined): Read {
  return (value, faults, depth) => {
    const fault = valueFault(value, depth);
    if (fault) {
      const [path, says] = fault.split('\n', 2);
      faults.add(says!, printable(path!));
      return value;
    }
    try {
      scalar?.parseValue(value);
    } catch (error) {
      faults.add((error as Error).message);
    }
    return value;
  };
}

export const tooDeep = `must not be nested deeper than ${deepest} levels`;
