import type { GraphQLEnumType, GraphQLScalarType } from 'graphql';
import { isEnumType } from 'graphql';
import type { Faults } from './faults.ts';
import { printable } from './faults.ts';
import { numberFault, textFault, valueFault } from './input.ts';

/**
 * Scalars that validate values, by name. `parseValue` throws the message: the path is prefixed to 'must be one of …', with a colon if the
 * message starts with a capital letter.
 */
export type Scalars = Readonly<Record<string, Pick<GraphQLScalarType, 'parseValue'>>>;

export type Read = (value: unknown, faults: Faults, depth: number) => unknown;

const validating =
  (fault: (value: unknown) => string | undefined, read: (value: unknown) => unknown = (value) => value): Read =>
  (value, faults) => {
    const says = fault(value);
    if (!says) return read(value);
    faults.add(says);
    return value;
  };

const text = (value: unknown) => (typeof value === 'string' ? textFault(value) : 'must be a string');
const minInt = -(2 ** 31);
const maxInt = 2 ** 31 - 1;

const builtIn: Record<string, Read> = {
  String: validating(text),
  ID: validating((value) => (typeof value === 'number' && Number.isSafeInteger(value) ? undefined : text(value)), String),
  Boolean: validating((value) => (typeof value === 'boolean' ? undefined : 'must be true or false')),
  Float: validating((value) => (typeof value === 'number' ? numberFault(value) : 'must be a number')),
  Int: validating((value) => {
    if (!Number.isInteger(value)) return 'must be an integer';
    if ((value as number) < minInt || (value as number) > maxInt) return `must be an integer between ${minInt} and ${maxInt}`;
  }),
};

export function compileLeaf(type: GraphQLScalarType | GraphQLEnumType, scalars: Scalars): Read {
  if (isEnumType(type)) {
    const names = new Set(type.getValues().map(({ name }) => name));
    const says = `must be one of ${[...names].join(', ')}`;
    return validating((value) => (names.has(value as string) ? undefined : says));
  }
  return builtIn[type.name] ?? compileScalar(scalars[type.name]);
}

/** Validate a value without converting it, because its subgraph parses it again. */
function compileScalar(scalar: Scalars[string] | undefined): Read {
  return (value, faults, depth) => {
    const fault = valueFault(value, depth);
    if (fault) {
      faults.add(fault.says, printable(fault.path));
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
