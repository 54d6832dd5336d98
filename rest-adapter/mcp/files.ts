import { Readable } from 'node:stream';
import type { RequestContext } from 'compiled-gateway';
import { fail } from '../../schema/errors.ts';
import { isObject } from '../../schema/json.ts';
import type { FileStore } from '../../schema/request.ts';
import { hasControlCharacters, isStorable } from '../../schema/text.ts';
import { fileName, sentences } from '../request/multipart.ts';
import type { FileLimits } from '../route.ts';

interface File {
  name: string;
  type: string;
  content: Buffer;
}

const invalid = (message: string) => fail('INVALID_INPUT', message);

/** Store the files in the arguments of a tool and return their ids. All are validated before the first is stored. */
export async function keepFiles(given: unknown, limits: FileLimits, store: FileStore, context: RequestContext): Promise<string[]> {
  const files = readFiles(given ?? [], limits);
  const ids: string[] = [];
  try {
    for (const { content, ...file } of files)
      ids.push(await store.keep({ ...file, bytes: content.length, content: Readable.from([content]) }, context));
    return ids;
  } catch (error) {
    // The first error is the one to report; a sweep removes abandoned files.
    await store.discard(ids, context).catch(() => {});
    throw error;
  }
}

function readFiles(given: unknown, limits: FileLimits): File[] {
  if (!Array.isArray(given)) throw invalid('files must be a list');
  if (given.length === 0 && !limits.optional) throw invalid(sentences.missing);
  if (given.length > limits.count) throw invalid(sentences.count);
  const files = given.map((each) => readFile(each, limits));
  if (files.reduce((sum, { content }) => sum + content.length, 0) > limits.total) throw invalid(sentences.total(limits));
  return files;
}

function readFile(given: unknown, limits: FileLimits): File {
  const { name, type, content } = isObject(given) ? given : {};
  if (typeof name !== 'string' || typeof type !== 'string' || typeof content !== 'string')
    throw invalid('every file must have a name, a type and content');
  if (!isStorable(name) || hasControlCharacters(name)) throw invalid(sentences.name);
  const stored = fileName(name);
  if (!limits.types.includes(type)) throw invalid(`the type of ${stored} must be one of ${limits.types.join(', ')}`);
  if (content.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(content)) throw invalid(`the content of ${stored} must be base64`);
  const bytes = Buffer.from(content, 'base64');
  if (bytes.length > limits.bytes) throw invalid(sentences.bytes(limits, stored));
  return { name: stored, type, content: bytes };
}
