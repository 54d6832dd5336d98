import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { RequestContext } from 'compiled-gateway';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import {
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { fail } from '../../schema/errors.ts';
import type { FileStore } from '../../schema/request.ts';
import { hasControlCharacters, isStorable, storable } from '../../schema/text.ts';
import { type FileLimits, megabytes } from '../route.ts';
import { formReader, type Read, WHOLE_BODY } from './request-variables.ts';
import type { FormReservation, UploadBudget } from './upload-space.ts';
import { makeUploadFolder } from './upload-space.ts';

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
const MAX_FIELDS = 50;
const MAX_FIELD_BYTES = 100 * 1024;
/** Maximum bytes of a form without its files: boundaries, headers and fields. */
const FRAME_BYTES = 1024 * 1024;

/** The destination of the files of a form. */
export interface FormTarget {
  store: FileStore;
  /** Limits the bytes in the temporary folder. */
  budget: UploadBudget;
}

/**
 * Read a multipart form and store its files. Returns the fields and the ids of the files. Files are buffered in a temporary
 * folder until the whole form is validated, and nothing of an invalid form is stored.
 */
export async function receiveForm(request: FastifyRequest, limits: FileLimits, { store, budget }: FormTarget) {
  if (!request.isMultipart()) throw invalid(wrongType(request.headers['content-type']));
  const fitting = { ...limits, total: Math.min(limits.total, budget.largestForm - FRAME_BYTES) };
  const reservation = reserveForm(request, fitting, budget);
  try {
    return await storeForm(request, fitting, store, reservation);
  } finally {
    reservation.release();
  }
}

/** Refuse a form by its announced length. The rest of its body is read, so that the caller receives the response. */
function reserveForm(request: FastifyRequest, limits: FileLimits, budget: UploadBudget): FormReservation {
  const announced = Number(request.headers['content-length'] ?? 0);
  try {
    if (announced > limits.total + FRAME_BYTES) throw invalid(sentences.total(limits));
    return budget.reserve(request.context.owner ?? '', announced);
  } catch (error) {
    request.raw.resume();
    throw error;
  }
}

async function storeForm(request: FastifyRequest, limits: FileLimits, store: FileStore, reservation: FormReservation) {
  const folder = await makeUploadFolder().catch((error: unknown) => {
    throw unreadable(error, request);
  });
  const ids: string[] = [];
  try {
    const { fields, files } = await readForm(request, limits, folder, reservation);
    for (const { path, ...file } of files) {
      ids.push(await store.keep({ ...file, content: createReadStream(path) }, request.context));
    }
    return { fields, ids };
  } catch (error) {
    await discardFiles(store, ids, request.context, request.log);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Discard files that no operation used. A failure is only logged, because a sweep removes abandoned files after a day. */
export async function discardFiles(
  store: FileStore,
  ids: readonly string[],
  context: RequestContext,
  log: FastifyBaseLogger,
): Promise<void> {
  await store.discard(ids, context).catch((err: unknown) => log.warn({ err }, 'Failed to discard unused files'));
}

const MULTIPART = 'the content type must be multipart/form-data';
/** A URL-encoded form cannot contain files, so report them as missing too. */
const wrongType = (type = URL_ENCODED) => (type.startsWith(URL_ENCODED) ? `${sentences.missing}; ${MULTIPART}` : MULTIPART);

/** Read the whole form even after a fault, so that the caller receives the response. */
async function readForm(request: FastifyRequest, limits: FileLimits, folder: string, reservation: FormReservation): Promise<Form> {
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
        await pipeline(part.file, (content) => counted(content, reservation), createWriteStream(path));
        total += part.file.bytesRead;
        if (part.file.truncated) fault = invalid(sentences.bytes(limits, nameOf(part)));
        else if (total > limits.total) fault = invalid(sentences.total(limits));
        form.files.push({ name: nameOf(part), type: typeOf(part), bytes: part.file.bytesRead, path });
      }
    }
  } catch (error) {
    request.raw.resume();
    throw unreadable(error, request);
  }
  if (fault) throw fault;
  if (form.files.length === 0 && !limits.optional) throw invalid(sentences.missing);
  return form;
}

/** Reserve room for each chunk before it is written: a body in chunks announces no length. */
async function* counted(content: AsyncIterable<Buffer>, reservation: FormReservation) {
  for await (const chunk of content) {
    reservation.add(chunk.length);
    yield chunk;
  }
}

const partLimits = ({ count, bytes }: FileLimits) => ({
  files: count,
  fileSize: bytes,
  fields: MAX_FIELDS,
  fieldSize: MAX_FIELD_BYTES,
  fieldNameSize: 200,
  parts: count + MAX_FIELDS,
  headerPairs: 20,
});

/** Errors of the files of a request. */
export const sentences = {
  missing: 'files must have at least 1 entry',
  name: 'names must not contain control characters',
  count: 'there are too many files',
  bytes: ({ bytes }: FileLimits, name: string) => `the file ${name} must be at most ${megabytes(bytes)}`,
  total: ({ total }: FileLimits) => `the files must be at most ${megabytes(total)} in all`,
};

const nameOf = ({ filename }: MultipartFile) => fileName(filename);
/** The stored name of a file. Of a long one, the end with its extension; never half of a character that takes two units. */
export const fileName = (name: string | undefined) =>
  (storable(name ?? '') || 'file').slice(-MAX_NAME).replace(/^[\udc00-\udfff]/, '');
const MAX_NAME = 255;
const typeOf = ({ mimetype }: MultipartFile) => mimetype.split(';')[0]!.trim().toLowerCase();
const invalid = (message: string) => fail('INVALID_INPUT', message);

function faultOf(part: Multipart, { types }: FileLimits): GraphQLError | undefined {
  if (part.fieldname === undefined || part.fieldname === '') return invalid('every part of the form must have a name');
  if (!isStorable(part.fieldname)) return invalid(sentences.name);
  if (part.type === 'field') {
    if (part.fieldname === 'files') return invalid('files must be sent as files, with their names');
    const cut = part.valueTruncated || part.fieldnameTruncated;
    return cut ? invalid(`a field of the form must be at most ${MAX_FIELD_BYTES} bytes`) : undefined;
  }
  if (hasControlCharacters(part.filename ?? '')) return invalid(sentences.name);
  if (part.fieldname !== 'files') return invalid('files must be sent under the name files');
  if (!types.includes(typeOf(part))) return invalid(`the type of ${nameOf(part)} must be one of ${types.join(', ')}`);
  return undefined;
}

const reasons: Record<string, string> = {
  FST_FILES_LIMIT: sentences.count,
  FST_PARTS_LIMIT: 'there are too many fields',
  FST_FIELDS_LIMIT: 'there are too many fields',
};

/** Faults of the disk after which the same request may succeed later. */
const EXHAUSTED = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'];

/** Convert parser errors to refusals, and a full disk to `UNAVAILABLE`. Other disk errors stay internal. */
function unreadable(error: unknown, { log }: FastifyRequest): unknown {
  const { code = '', syscall } = error as { code?: string; syscall?: string };
  if (EXHAUSTED.includes(code)) {
    log.error({ err: error }, 'The temporary folder takes no upload');
    return fail('UNAVAILABLE', 'The service is not available at the moment. Try again shortly.');
  }
  if (error instanceof GraphQLError || syscall) return error;
  return invalid(reasons[code] ?? 'the form could not be read completely');
}

type Fields = Record<string, unknown>;

/** Add a form field. Repeated fields become lists; `a[b]` is the key `b` of the object `a`. */
export function addField(fields: Fields, written: string, text: string): void {
  const [, name = written, keys = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(written) ?? [];
  const path = [name, ...[...keys.matchAll(/\[([^[\]]*)\]/g)].map(([, key]) => key!)].filter((key) => key !== '');
  let place = fields;
  for (const key of path.slice(0, -1)) {
    const known = place[key] ?? Object.create(null);
    if (typeof known !== 'object' || Array.isArray(known)) throw fail('INVALID_INPUT', `${name} is both a text and an object`);
    place[key] = known;
    place = known as Fields;
  }
  const last = path.at(-1)!;
  const known = place[last];
  place[last] = known === undefined ? text : [known, text].flat();
}

/** Create a function that converts form fields to the types of their variables. */
export function fieldsReader(schema: GraphQLSchema, operation: OperationDefinitionNode): (fields: Fields) => Fields {
  const reads = new Map<string, Read>();
  for (const { variable, type: node } of operation.variableDefinitions ?? []) {
    const type = typeFromAST(schema, node) as GraphQLInputType;
    const input = getNullableType(type);
    if (variable.name.value !== WHOLE_BODY || !isInputObjectType(input)) reads.set(variable.name.value, formReader(type));
    else for (const field of Object.values(input.getFields())) reads.set(field.name, formReader(field.type));
  }
  return (fields) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, reads.get(name)?.(value) ?? value]));
}
