import type { JsonObject } from '../../../schema/json.ts';
import { findAnswer, mapToolResult, readToolPage } from '../mcp-servers/answers.ts';
import { inputFault, schemaFault } from './input-schema.ts';
import { mapResponse } from './tool-response.ts';

/** Work whose cost the input decides: schemas and paths of owners, parameters of models, and responses of receivers. */
export const tasks = {
  /** The fault of a JSON Schema, or undefined. */
  checkSchema: ({ schema }: { schema: JsonObject }) => schemaFault(schema),
  /** The fault of parameters, or undefined. */
  checkInput: ({ schema, params }: { schema: JsonObject; params: unknown }) => inputFault(schema, params),
  mapResponse,
  findAnswer,
  readToolPage,
  mapToolResult,
};

// Compiles the schema of schemas before the first task.
tasks.checkSchema({ schema: {} });
