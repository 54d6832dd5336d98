import { expect, test } from '@jest/globals';
import { Headroom } from '../../platform/model/pace.ts';

const headers = (budget: string, remaining: string, limit = '100') =>
  new Headers({ [`x-ratelimit-limit-${budget}`]: limit, [`x-ratelimit-remaining-${budget}`]: remaining });

test.each([
  ['no headers', true, new Headers()],
  ['a tenth of the requests', true, headers('requests', '10')],
  ['fewer requests', false, headers('requests', '9')],
  ['fewer tokens', false, headers('tokens', '0')],
  ['unreadable numbers', true, headers('requests', 'few', 'many')],
  ['a limit of zero', true, headers('requests', '0', '0')],
])('%s: headroom is left: %s', (_, isLeft, received) => {
  const headroom = new Headroom();
  headroom.read('small', received, 0);
  expect(headroom.isLeft(1)).toBe(isLeft);
});

test('a scarce model counts until its next response, or for a minute', () => {
  const headroom = new Headroom();
  headroom.read('small', headers('requests', '0'), 0);
  headroom.read('large', headers('requests', '90'), 0);
  expect(headroom.isLeft(59_999)).toBe(false);
  expect(headroom.isLeft(60_000)).toBe(true);
  headroom.read('small', headers('requests', '90'), 1);
  expect(headroom.isLeft(2)).toBe(true);
});
