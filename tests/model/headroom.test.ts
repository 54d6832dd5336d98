import { expect, test } from '@jest/globals';
import { Headroom } from '../../subgraphs/common/model/headroom.ts';

const headers = (budget: string, remaining: string, limit = '100') =>
  new Headers({ [`x-ratelimit-limit-${budget}`]: limit, [`x-ratelimit-remaining-${budget}`]: remaining });

test.each([
  ['no headers', new Headers(), true],
  ['a tenth of the requests', headers('requests', '10'), true],
  ['fewer requests', headers('requests', '9'), false],
  ['fewer tokens', headers('tokens', '0'), false],
  ['unreadable numbers', headers('requests', 'few', 'many'), true],
  ['a limit of zero', headers('requests', '0', '0'), true],
])('%s left: %s', (_, received, isLeft) => {
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
