import type { JsonObject } from '../../../schema/json.ts';
import { inputFault, schemaFault } from './input-schema.ts';
import { Masker } from './masking.ts';
import { mapResponse } from './response.ts';

/**
 * Work whose cost the input decides: schemas and paths of owners, parameters of models, and responses of receivers. It runs in a thread,
 * so everything that this file imports must be TypeScript that Node can strip.
 */
export const tasks = {
  /** The fault of a JSON Schema, or undefined. */
  checkSchema: ({ schema }: { schema: JsonObject }) => schemaFault(schema),
  /** The fault of parameters, or undefined. */
  checkInput: ({ schema, params }: { schema: JsonObject; params: unknown }) => inputFault(schema, params),
  mapResponse,
  /** A JSON value without these secrets. */
  maskValue: ({ value, secrets }: { value: unknown; secrets: readonly string[] }) => new Masker(secrets).maskValue(value),
};

export type TaskName = keyof typeof tasks;
export type TaskInput<N extends TaskName> = Parameters<(typeof tasks)[N]>[0];
export type TaskResult<N extends TaskName> = ReturnType<(typeof tasks)[N]>;

/** The answer of the thread: a result, a fault of the input, or an unexpected error. */
export type Answer = { id: number } & ({ result: unknown } | { fault: string } | { error: string });
