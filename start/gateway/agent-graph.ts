import { type Gateway, httpSource, type Operation } from 'compiled-gateway';
import type { FastifyInstance } from 'fastify';
import { parse } from 'graphql';
import { AGENT_TOKEN_HEADER, organizationOfToken } from '../../platform/identity/callers.ts';
import { isSecret } from '../../platform/secrets/index.ts';
import { ANSWER_LIMIT, type Execute, TIMEOUT_MS } from '../../platform/subgraph/services.ts';
import { isObject } from '../../schema/json.ts';
import { AnswerBudget } from '../../schema/limits.ts';
import { lifetimeOf } from '../../server/lifetime.ts';
import { catalogOperations } from '../../subgraphs/agent/catalog/catalog-tools.ts';

/** Only agent subgraphs and workers in other processes call it. Not part of any API. */
const PATH = '/internal/agent-graph';
const BODY_LIMIT = 64 * 1024;

/** The operations that agents may run, by their text. */
export const agentOperations = ({ prepare }: Pick<Gateway, 'prepare'>): ReadonlyMap<string, Operation> =>
  new Map(Object.entries(catalogOperations).map(([name, text]) => [text, prepare(parse(text), { label: `agent ${name}` })]));

/** Runs the operations of agents in the process of the gateway. */
export const localGraph =
  (operations: ReadonlyMap<string, Operation>): Execute =>
  async (text, variables, context) => {
    const { data, errors } = await operations.get(text)!.execute(variables, context);
    return { data: data === undefined ? null : JSON.parse(data), errors };
  };

/** Sends the operations of agents to a gateway in another process. */
export function remoteGraph(gatewayUrl: string, secret: string): { execute: Execute; close(): Promise<void> } {
  const source = httpSource({ url: `${gatewayUrl}${PATH}`, secret });
  const documents = new Map(Object.values(catalogOperations).map((text) => [text as string, parse(text)]));
  return {
    execute: (text, variables, context) => source.execute({ document: documents.get(text)!, text, variables, context }),
    close: async () => source.close?.(),
  };
}

interface AgentGraphOptions {
  operations: ReadonlyMap<string, Operation>;
  /** The secret that the gateway shares with its subgraphs. */
  secret: string;
}

/**
 * Serve the operations of agents to a separate agent subgraph, and to workers. The caller must know the secret of the subgraphs, send a token of an agent,
 * and name one of the known operations.
 */
export async function agentGraphEndpoint(app: FastifyInstance, { operations, secret }: AgentGraphOptions): Promise<void> {
  const refused = { errors: [{ message: 'Forbidden', extensions: { code: 'FORBIDDEN' } }] };
  app.route<{ Body: unknown }>({
    method: 'POST',
    url: PATH,
    bodyLimit: BODY_LIMIT,
    // The traffic between the gateway and its subgraphs is plain HTTP in both directions.
    config: { plainHttp: true },
    // Before the body is read.
    onRequest: async ({ headers }, reply) => {
      if (!isSecret(secret, headers['x-subgraph-secret'])) return reply.code(403).send(refused);
    },
    handler: async ({ headers, body }, reply) => {
      const { query, variables } = isObject(body) ? body : {};
      const operation = typeof query === 'string' ? operations.get(query) : undefined;
      if (!operation) return reply.code(403).send(refused);
      const lifetime = lifetimeOf(reply.raw, TIMEOUT_MS);
      const token = headers[AGENT_TOKEN_HEADER];
      const isToken = typeof token === 'string';
      const context = {
        headers: isToken ? { [AGENT_TOKEN_HEADER]: token } : {},
        owner: (isToken && organizationOfToken(token)) || '',
        client: { name: 'agent', version: '' },
        signal: lifetime.signal,
        budget: new AnswerBudget(ANSWER_LIMIT),
      };
      const { data, errors } = await lifetime.within(operation.execute(isObject(variables) ? variables : {}, context));
      reply.type('application/json');
      return `{"data":${data ?? 'null'}${errors ? `,"errors":${JSON.stringify(errors)}` : ''}}`;
    },
  });
}
