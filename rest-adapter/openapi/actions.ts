import type { JsonSchema } from './inputs.ts';

interface ActionOperation {
  action?: string;
  operation: JsonSchema;
}

interface Described {
  summary: string;
  description?: string;
  parameters?: { in: string; name: string }[];
  requestBody?: { content: { 'application/json': Content } };
  responses: Record<string, { content?: Record<string, Content> }>;
}

interface Content {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

/** Join rows with the same path into one OpenAPI operation, with alternatives of their bodies and responses. */
export function joinActions(all: readonly ActionOperation[]): JsonSchema {
  const [first] = all;
  if (first?.action === undefined) return first?.operation ?? {};
  const actions = all.map(({ action, operation }) => ({ action: action!, ...(operation as unknown as Described) }));
  const parameters = new Map(actions.flatMap((each) => each.parameters ?? []).map((each) => [`${each.in} ${each.name}`, each]));
  return {
    ...first.operation,
    summary: `By \`action\`: ${actions.map(({ action }) => action).join(', ')}`,
    description: actions
      .map(({ action, summary, description }) => `\`${action}\`: ${summary}.${description ? ` ${description}` : ''}`)
      .join('\n\n'),
    parameters: [...parameters.values()],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { oneOf: actions.map(bodyOf) },
          examples: Object.fromEntries(
            actions.map(({ action, requestBody }) => [
              action,
              { value: requestBody?.content['application/json'].example ?? { action } },
            ]),
          ),
        },
      },
    },
    responses: joinResponses(actions),
  };
}

function bodyOf({ action, requestBody }: Described & { action: string }): JsonSchema {
  const chosen = { type: 'object', properties: { action: { const: action } }, required: ['action'] };
  const own = requestBody?.content['application/json'].schema;
  return own ? { title: action, allOf: [chosen, own] } : { title: action, ...chosen };
}

function joinResponses(actions: Described[]): JsonSchema {
  const joined: Described['responses'] = {};
  for (const [status, response] of actions.flatMap((each) => Object.entries(each.responses))) {
    const known = joined[status];
    joined[status] = known ? { ...known, content: joinContent(known.content, response.content) } : response;
  }
  return joined;
}

/** Join the schemas and examples of two responses. */
function joinContent(a: Record<string, Content> = {}, b: Record<string, Content> = {}): Record<string, Content> {
  const type = 'application/json';
  const [one, other] = [a[type]!, b[type]!];
  const schemas = [...((one.schema.anyOf as JsonSchema[] | undefined) ?? [one.schema]), other.schema];
  const distinct = [...new Map(schemas.map((each) => [JSON.stringify(each), each])).values()];
  const examples = { ...one.examples, ...other.examples };
  return {
    [type]: {
      schema: distinct.length > 1 ? { anyOf: distinct } : distinct[0]!,
      ...(Object.keys(examples).length > 0 && { examples }),
    },
  };
}
