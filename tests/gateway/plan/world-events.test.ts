import * as fc from 'fast-check';
import { parse } from 'graphql';
import { anyone, drain } from '../support/federation.ts';
import { gateway, inOneSchema, placed, timeout, whatever } from '../support/generated.ts';
import { MadeUp } from '../support/generated-data.ts';
import type { Generated } from '../support/operations.ts';

/** The only event of a subscription. */
async function heard({ text, variables }: Generated) {
  const events = await gateway.operation(parse(text)).subscribe(variables, anyone);
  if (!(Symbol.asyncIterator in events)) throw new Error(JSON.stringify(events));
  const [event, ...others] = await drain(events);
  expect(others).toEqual([]);
  return event!;
}

test(
  'an event of a subscription is what one schema would answer at that moment',
  async () => {
    const mishaps = { nulls: 10, wrongNulls: 0, errors: 0, missing: 0 };
    await whatever({ clashes: true, conditions: true, events: true }, mishaps, async (operation) => {
      expect(await heard(operation)).toEqual(await inOneSchema(operation));
    });
  },
  timeout,
);

test(
  'the errors of an event are where one schema would have them',
  async () => {
    const mishaps = { nulls: 10, wrongNulls: 0, errors: 6, missing: 0 };
    await whatever({ clashes: true, conditions: true, events: true }, mishaps, async (operation) => {
      fc.pre(!MadeUp.requiring.test(operation.text));
      const [ours, theirs] = [await heard(operation), await inOneSchema(operation)];
      expect(ours.data).toEqual(theirs.data);
      expect(placed(ours.errors, theirs.data)).toEqual(expect.arrayContaining(placed(theirs.errors, theirs.data)));
    });
  },
  timeout,
);
