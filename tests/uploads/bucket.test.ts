import { Bucket } from '../../platform/files/bucket.ts';
import { type Store, startStore } from './store.ts';

let store: Store;
let bucket: Bucket;
beforeAll(async () => {
  store = await startStore();
  bucket = new Bucket(store.options);
});
afterAll(async () => {
  await bucket.close();
  await store.close();
});

async function* parts(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}
const textOf = async (key: string) => Buffer.concat(await Array.fromAsync(bucket.get(key))).toString();

test('an object is stored, read and deleted', async () => {
  await bucket.put('a/one', parts('red, ', 'blue'), 9);
  expect(await textOf('a/one')).toBe('red, blue');
  await bucket.delete('a/one');
  expect(await store.keys('a')).toEqual([]);
  await expect(textOf('a/one')).rejects.toThrow('The file store answered a GET with 404: NoSuchKey');
});

test('deleting a missing object succeeds', async () => {
  await bucket.delete('a/nothing');
});

test('content that is shorter or longer than its declared size, or fails, is rejected', async () => {
  async function* broken() {
    yield Buffer.from('red');
    throw new Error('the sender went away');
  }
  await expect(bucket.put('b/short', parts('red'), 9)).rejects.toThrow();
  await expect(bucket.put('b/long', parts('red, blue'), 3)).rejects.toThrow();
  await expect(bucket.put('b/broken', broken(), 9)).rejects.toThrow();
});

test('a wrong secret is rejected, and no message contains it', async () => {
  const stranger = new Bucket({ ...store.options, secretAccessKey: 'a-wrong-secret' });
  const refusal = await stranger.put('c/one', parts('red'), 3).catch((error: Error) => error);
  await stranger.close();
  expect(refusal).toEqual(new Error('The file store answered a PUT with 403: SignatureDoesNotMatch'));
  expect(await store.keys('c')).toEqual([]);
});
