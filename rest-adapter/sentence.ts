import type { GraphQLFormattedError } from 'graphql';

const LONGEST = 300;

/** What GraphQL says of a wrong value, and how a REST caller reads it. */
const readings: [pattern: RegExp, sentence: string][] = [
  [/^Int cannot represent non 32-bit/, 'is out of range'],
  [/^Int cannot represent/, 'must be a whole number'],
  [/^Float cannot represent/, 'must be a number'],
  [/^Boolean cannot represent/, 'must be true or false'],
  [/^(String|ID) cannot represent/, 'must be a string'],
  [/^Expected type "\w+" to be an object/, 'must be an object'],
  [/^Expected non-nullable type/, 'must not be null'],
  [/^(Value ".*" does not exist in|Enum "\w+" cannot represent)/s, 'is not one of the accepted words'],
];

const fault = /^(Variable "\$|Argument ")/;

/** Is it GraphQL's refusal of a variable, or of the argument it feeds, which carries no code of ours? */
export const isVariableFault = ({ message }: GraphQLFormattedError) => fault.test(message);

/** GraphQL's refusal of a variable as one readable sentence: `products[0].sku is required`. */
export function readableFault(message: string): string {
  const missing = /^Variable "\$(\w+)" of (?:required|non-null) type ".*?" (was not provided|must not be null)/.exec(message);
  if (missing) return `${missing[1]} ${missing[2] === 'was not provided' ? 'is required' : 'must not be null'}`;

  const empty = /^Argument "(\w+)" of non-null type .* must not be null/.exec(message)?.[1];
  if (empty) return `${empty} must not be null`;

  // The message quotes the value, which may be long and hold anything: only what stands before and after it is read.
  const variable = /^Variable "\$(\w+)"/.exec(message)?.[1] ?? '';
  const end = message.search(/; (?=Field "|Expected |[A-Z]\w+ cannot represent|Value ")/);
  const split = end === -1 ? message.lastIndexOf('; ') : end;
  const reason = message.slice(split + 2);
  const path = / at "([^"]+)"$/.exec(message.slice(Math.max(0, split - 500), split))?.[1] ?? variable;
  const place = path === 'input' ? 'the body' : path.replace(/^input\./, '');

  const absent = /^Field "(\w+)" of required type/.exec(reason)?.[1];
  if (absent) return `${place === 'the body' ? absent : `${place}.${absent}`} is required`;
  const sentence = readings.find(([pattern]) => pattern.test(reason))?.[1] ?? reason.replace(/^Expected type "\w+"\. /, '');
  return `${place} ${sentence}`.slice(0, LONGEST);
}
