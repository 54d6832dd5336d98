import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isObject, type JsonObject } from '../../../schema/json.ts';
import { DeadlineExceeded, withDeadline } from '../../common/deadline.ts';
import { linearPattern } from './patterns.ts';

const MAX_LENGTH = 32_000;
const MAX_DEPTH = 32;
/** Milliseconds to compile a schema, and to check a value. */
const [COMPILE_TIME, CHECK_TIME] = [1_000, 250];

const DRAFT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

/** Yields the faults of a JSON Schema; the first part of each is the name of the field. */
export function* schemaFaults(schema: JsonObject): Generator<string> {
  const text = JSON.stringify(schema);
  if (text.length > MAX_LENGTH) return yield `inputSchema must be at most ${MAX_LENGTH} characters of JSON`;
  if (depthOf(schema) > MAX_DEPTH) return yield `inputSchema must be nested at most ${MAX_DEPTH} levels deep`;
  if (schema.type !== undefined && schema.type !== 'object') return yield 'inputSchema must have the type object';
  if (schema.$schema !== undefined && !DRAFT.test(String(schema.$schema)))
    return yield 'inputSchema must be of JSON Schema 2020-12, or without $schema';
  const meta = metaSchema();
  if (!meta.validateSchema(schema))
    return yield `inputSchema is no valid JSON Schema: ${meta.errorsText(meta.errors, { dataVar: 'inputSchema' })}`;
  try {
    compile(schema);
  } catch (error) {
    const reason = error instanceof DeadlineExceeded ? 'it takes too long to compile' : (error as Error).message;
    yield `inputSchema cannot be used: ${reason.slice(0, 300)}`;
  }
}

/** Check parameters. Returns the fault, or undefined. */
export function inputFault(schema: JsonObject, params: unknown): string | undefined {
  try {
    const validate = compile(schema);
    if (withDeadline(CHECK_TIME, () => validate(params))) return undefined;
    return validator.errorsText(validate.errors, { dataVar: 'parameters' });
  } catch (error) {
    return error instanceof DeadlineExceeded
      ? 'parameters take too long to check'
      : `parameters cannot be checked: ${(error as Error).message}`;
  }
}

const options = { strict: false, validateFormats: false, logger: false } as const;

let known: Ajv2020 | undefined;
/** Created on first use, because it compiles the schema of schemas. */
const metaSchema = () => {
  known ??= new Ajv2020(options);
  return known;
};

const regExp = Object.assign(
  (source: string) => {
    const pattern = linearPattern(source);
    return { test: (text: string) => pattern.matcher(text).find() };
  },
  { code: 'linearPattern' },
);

/** Formats messages only. */
const validator = new Ajv2020({ ...options, meta: false });

/** By the schema object, so that the calls of one reply compile a schema once. */
const compiled = new WeakMap<JsonObject, ValidateFunction>();

function compile(schema: JsonObject): ValidateFunction {
  const validate = compiled.get(schema) ?? compileAnew(schema);
  compiled.set(schema, validate);
  return validate;
}

/** Each schema has its own validator, so that ids of different tools cannot collide. */
function compileAnew(schema: JsonObject): ValidateFunction {
  // Without inlining, so that nested references cannot multiply the code.
  const own = { ...options, meta: false, validateSchema: false, inlineRefs: false, code: { regExp } } as const;
  const { $schema: _, ...rest } = schema;
  return withDeadline(COMPILE_TIME, () => new Ajv2020(own).compile(rest));
}

function depthOf(value: unknown): number {
  let [level, depth] = [[value], 0];
  while (level.length > 0 && depth <= MAX_DEPTH) {
    level = level.flatMap((each) => (isObject(each) || Array.isArray(each) ? Object.values(each) : []));
    depth += 1;
  }
  return depth;
}
