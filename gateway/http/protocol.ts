import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { ServerOptions, SubscribePayload } from 'graphql-ws';
import { codeOf, fail } from '../../schema/errors.ts';
import type { Admit, RequestContext } from '../../schema/request.ts';
import type { Gateway } from '../gateway.ts';
import { closeCode, credentialsIn, refusalOf } from './caller.ts';
import type { Check } from './check.ts';
import { readDocument } from './check.ts';
import type { Connection } from './connection.ts';
import type { Execution } from './execution.ts';
import type { Lifetime } from './lifetime.ts';
import { lifetime } from './lifetime.ts';
import type { Limits } from './limits.ts';
import { graphQLError, present } from './present.ts';
import { closeSocket } from './socket.ts';

export interface ProtocolOptions {
  gateway: Gateway;
  execution: Execution;
  check: Check;
  admit: Admit;
  limits: Limits;
  /** Milliseconds for a query, a mutation, or the start of a subscription. */
  timeout: number;
  /** Operations a connection may run at a time. */
  maxOperations: number;
}

/** An operation under way, as the hooks hand it to each other. */
interface Running {
  caller: RequestContext;
  operation: Lifetime;
  connection: Connection;
}

/** What this server does at each step of the graphql-ws protocol. */
export function protocol(options: ProtocolOptions, closing: AbortSignal): ServerOptions<Record<string, unknown>, Connection> {
  const { gateway, execution, check, admit, limits, timeout, maxOperations } = options;

  /** Everything that stands between a message and its operation. Throws the refusal. */
  async function accept(connection: Connection, payload: SubscribePayload, operation: Lifetime): Promise<ExecutionArgs> {
    if (closing.aborted) throw fail('UNAVAILABLE', 'The server is restarting. Try again shortly.');
    if (connection.operations.size > maxOperations) {
      throw fail('RATE_LIMITED', `A connection may run ${maxOperations} operations at a time`);
    }
    // A page that connected without a key (GraphiQL) may name it with the operation.
    const headers = { ...connection.headers, ...credentialsIn(payload.extensions?.headers) };
    const caller: RequestContext = { headers, signal: operation.signal };
    const { refusal } = await admit(caller, { access: 'user' });
    if (refusal) throw fail(codeOf({ extensions: refusal }), refusal.message);

    const { query, operationName, variables } = payload;
    const document = readDocument(query, limits);
    const [fault] = check(document, operationName);
    if (fault) throw fault;
    const contextValue: Running = { caller, operation, connection };
    return { schema: gateway.schema, document, operationName, variableValues: variables, contextValue };
  }

  const asked = ({ document, operationName, variableValues, contextValue }: ExecutionArgs) => {
    const { caller } = contextValue as Running;
    return { document, operationName, variables: variableValues, context: caller };
  };

  return {
    connectionInitWaitTimeout: 5_000,

    async onConnect({ connectionParams, extra: connection }) {
      connection.headers = { ...connection.headers, ...credentialsIn(connectionParams) };
      try {
        const refused = refusalOf(await admit({ headers: connection.headers }, { access: 'public' }));
        if (!refused) return true;
        closeSocket(connection.socket, closeCode(refused), refused.message);
      } catch (error) {
        const { message, extensions } = present(graphQLError(error), connection.log);
        closeSocket(connection.socket, closeCode(fail(codeOf({ extensions }), message)), message);
      }
      return false;
    },

    async onSubscribe({ extra: connection }, _id, payload) {
      const operation = lifetime(timeout);
      connection.operations.set(payload, operation);
      try {
        return await accept(connection, payload, operation);
      } catch (error) {
        connection.operations.delete(payload);
        operation.settle();
        return [graphQLError(error)];
      }
    },

    execute(args) {
      const { operation, connection } = args.contextValue as Running;
      const answer = execution.execute(asked(args)).finally(() => {
        operation.settle();
        connection.executing.delete(answer);
      });
      connection.executing.add(answer);
      return answer;
    },

    async subscribe(args) {
      const { operation } = args.contextValue as Running;
      const events = await execution.subscribe(asked(args));
      operation.settle();
      return events as AsyncIterable<ExecutionResult> | ExecutionResult;
    },

    onNext: ({ extra: { log } }, _id, _payload, _args, { errors, ...result }) => ({
      ...result,
      ...(errors && { errors: errors.map((each) => present(each, log)) }),
    }),

    onError: ({ extra: { log } }, _id, _payload, errors) => errors.map((each) => present(each, log)),

    onComplete({ extra: { operations } }, _id, payload) {
      operations.get(payload)?.end();
      operations.delete(payload);
    },
  };
}
