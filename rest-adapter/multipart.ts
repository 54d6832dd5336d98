import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import { fail } from '../schema/errors.ts';
import type { FileStore } from '../schema/files.ts';
import { isStorable } from '../schema/text.ts';
import { addField } from './form.ts';
import type { FileLimits } from './route.ts';
import { makeUploadFolder } from './upload-folders.ts';

interface Received {
  name: string;
  type: string;
  bytes: number;
  path: string;
}

interface Form {
  fields: Record<string, unknown>;
  files: Received[];
}

const URL_ENCODED = 'application/x-www-form-urlencoded';
const MOST_FIELDS = 50;
const MOST_FIELD_BYTES = 100 * 1024;
/** What the boundaries, headers and fields of a form may take beside its files. */
const FRAME_BYTES = 1024 * 1024;

/**
 * Read a form to its end and hand its files to the store: the body it stands for, `files` being the ids. Until everything is checked
 * the files lie in a folder of this request; nothing is kept of a form that is refused.
 */
export async function receiveForm(request: FastifyRequest, limits: FileLimits, store: FileStore) {
  if (!request.isMultipart()) throw fail('INVALID_INPUT', wrongType(request.headers['content-type']));
  const folder = await makeUploadFolder();
  const ids: string[] = [];
  try {
    const { fields, files } = await readForm(request, limits, folder);
    for (const { path, ...file } of files) {
      ids.push(await store.keep({ ...file, content: createReadStream(path) }, request.context));
    }
    return { fields, ids };
  } catch (error) {
    await discardFiles(store, ids, request);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes drafts that nothing took up. A failure must not replace the answer: abandoned drafts are swept after a day. */
export async function discardFiles(store: FileStore, ids: readonly string[], { context, log }: FastifyRequest): Promise<void> {
  await store.discard(ids, context).catch((err: unknown) => log.warn({ err }, 'drafts of files could not be discarded'));
}

const MULTIPART = 'the content type must be multipart/form-data';
/** A form of the other encoding cannot hold files, so they are missing too. */
const wrongType = (type = URL_ENCODED) => (type.startsWith(URL_ENCODED) ? `${sentences.missing}; ${MULTIPART}` : MULTIPART);

/** The whole form is read even after a fault, so that the caller gets to hear of it. */
async function readForm(request: FastifyRequest, limits: FileLimits, folder: string): Promise<Form> {
  if (Number(request.headers['content-length'] ?? 0) > limits.total + FRAME_BYTES) {
    request.raw.resume();
    throw fail('INVALID_INPUT', sentences.total(limits));
  }
  const form: Form = { fields: Object.create(null), files: [] };
  let [fault, total]: [GraphQLError | undefined, number] = [undefined, 0];
  try {
    for await (const part of request.parts({ limits: partLimits(limits) })) {
      fault ??= faultOf(part, limits);
      if (part.type === 'field') {
        if (!fault) addField(form.fields, part.fieldname, String(part.value));
      } else if (fault) {
        part.file.resume();
      } else {
        const path = join(folder, String(form.files.length));
        await pipeline(part.file, createWriteStream(path));
        total += part.file.bytesRead;
        if (part.file.truncated) fault = fail('INVALID_INPUT', sentences.bytes(limits, nameOf(part)));
        else if (total > limits.total) fault = fail('INVALID_INPUT', sentences.total(limits));
        form.files.push({ name: nameOf(part), type: typeOf(part), bytes: part.file.bytesRead, path });
      }
    }
  } catch (error) {
    request.raw.resume();
    throw unreadable(error);
  }
  if (fault) throw fault;
  if (form.files.length === 0 && !limits.optional) throw fail('INVALID_INPUT', sentences.missing);
  return form;
}

const partLimits = ({ count, bytes }: FileLimits) => ({
  files: count,
  fileSize: bytes,
  fields: MOST_FIELDS,
  fieldSize: MOST_FIELD_BYTES,
  fieldNameSize: 200,
  parts: count + MOST_FIELDS,
  headerPairs: 20,
});

const mega = (bytes: number) => `${bytes / 1024 / 1024} MB`;
const sentences = {
  missing: 'files must have at least 1 entry',
  bytes: ({ bytes }: FileLimits, name: string) => `the file ${name} must be at most ${mega(bytes)}`,
  total: ({ total }: FileLimits) => `the files must be at most ${mega(total)} in all`,
};

const nameOf = ({ filename }: MultipartFile) => (filename || 'file').slice(-255).toWellFormed();
const typeOf = ({ mimetype }: MultipartFile) => mimetype.split(';')[0]!.trim().toLowerCase();
const refused = (message: string) => fail('INVALID_INPUT', message);

function faultOf(part: Multipart, { types }: FileLimits): GraphQLError | undefined {
  if (part.fieldname === undefined || part.fieldname === '') return refused('every part of the form must have a name');
  if (!isStorable(part.fieldname)) return refused('names must not hold control characters');
  if (part.type === 'field') {
    if (part.fieldname === 'files') return refused('files must be sent as files, with their names');
    const cut = part.valueTruncated || part.fieldnameTruncated;
    return cut ? refused(`a field of the form must be at most ${MOST_FIELD_BYTES} bytes`) : undefined;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\0-\x1f\x7f]/.test(part.filename ?? '')) return refused('names must not hold control characters');
  if (part.fieldname !== 'files') return refused('files must be sent under the name files');
  if (!types.includes(typeOf(part))) return refused(`the type of ${nameOf(part)} must be one of ${types.join(', ')}`);
  return undefined;
}

const reasons: Record<string, string> = {
  FST_FILES_LIMIT: 'there are too many files',
  FST_PARTS_LIMIT: 'there are too many fields',
  FST_FIELDS_LIMIT: 'there are too many fields',
};

/** Faults of the form are the caller's; those of the disk are not. */
function unreadable(error: unknown): unknown {
  const { code = '', syscall } = error as { code?: string; syscall?: string };
  if (error instanceof GraphQLError || syscall) return error;
  return refused(reasons[code] ?? 'the form could not be read to its end');
}
