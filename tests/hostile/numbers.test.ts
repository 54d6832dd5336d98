import { expectRefusal, expectTame, openAttacker } from './attacker.ts';

const attacker = await openAttacker();
const id = await attacker.product();

const numbers = [
  '1e400',
  '-1e400',
  '9007199254740993',
  '99999999999999999999',
  '2147483648',
  '-2147483649',
  '1.5',
  '1e-400',
  '-0',
  '0',
  '-1',
];
const lists = [
  '/products/get',
  '/product-enrichment-jobs/get',
  '/products/ID/enrichment-history',
  '/products/ID/validation-history',
];

test.each(numbers)('%s is not a valid page or limit', async (number) => {
  for (const list of lists) {
    for (const name of ['page', 'limit']) {
      expectRefusal(await attacker.rest(list.replace('ID', id), `{"${name}": ${number}}`));
      expectRefusal(await attacker.rest(`${list.replace('ID', id)}?${name}=${encodeURIComponent(number)}`, '{}'));
    }
  }
});

test.each(['2147483647', '1000000'])('page %s is empty', async (page) => {
  for (const list of lists) {
    const answer = await attacker.rest(list.replace('ID', id), `{"page": ${page}, "limit": 100}`);
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining(`"page":${page}`) });
  }
});

test.each([
  ['1e400', undefined],
  ['1e308', undefined],
  ['9007199254740993', undefined],
  ['9007199254740991', 9_007_199_254_740_991],
  ['5e-324', 5e-324],
  ['-0.1', -0.1],
])('%s as a value is stored unchanged or rejected', async (number, kept) => {
  const answer = await attacker.rest(
    `/products/${id}/update-attributes`,
    `{"attributes": {"k": {"attributeType": "number", "value": ${number}}}}`,
  );
  expectTame(answer);
  if (kept === undefined) expectRefusal(answer);
  else expect(JSON.parse(answer.text).data.attributes.k.value).toBe(kept);
});

test.each(numbers)('%s is not a text', async (number) => {
  expectRefusal(await attacker.rest('/products/create', `{"sku": ${number}, "name": "A"}`));
  expectRefusal(await attacker.rest('/products/get', `{"search": ${number}}`));
  expect(await attacker.stored()).toBe(1);
});
