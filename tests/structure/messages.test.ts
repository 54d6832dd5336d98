import { sources, textOf } from './files.ts';

/** Sentences that the contract fixes, or that are as short as a title. */
const fixed = [
  /not found$/,
  /^(?:Invalid|Missing) API Key$/,
  /^(?:Job|Source) cannot be [a-z]+ (?:because it is|while it is being) [a-z ]+$/,
  // A header is an input, too.
  /^Idempotency-Key /,
  // The end of the sentence is the value.
  /: \$\{.*\}$/,
];

/** The literal messages of errors that services throw, without those that continue the name of an input. */
const messages = sources
  .filter((file) => /^(platform|subgraphs)\//.test(file))
  .flatMap((file) =>
    [...textOf(file).matchAll(/\b(?:fail\('[A-Z_]+',|conflictIfTaken\()\s*(['`])(.*?)(?<!\\)\1[,)]/gs)].map(
      ([, , message]) => message!,
    ),
  );

test('an error is a fault of a named input, or a sentence with a period', () => {
  expect(messages.length).toBeGreaterThan(250);
  const sentences = messages.filter((message) => /^\p{Lu}/u.test(message) && !fixed.some((each) => each.test(message)));
  expect(sentences.length).toBeGreaterThan(100);
  expect(sentences.filter((message) => !message.endsWith('.'))).toEqual([]);
});
