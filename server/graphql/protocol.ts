import type { Gateway, RequestContext } from 'compiled-gateway';
import type { ExecutionArgs } from 'graphql';
import type { ServerOptions, SubscribePayload } from 'graphql-ws';
import { AnswerBudget } from '../../schema/answer-budget.ts';
import { codeOf, fail } from '../../schema/errors.ts';
import type { Admit } from '../../schema/request.ts';
import { closeCode, refusalError } from '../admission.ts';
import { readCredentials } from '../credentials.ts';
import { Lifetime } from '../lifetime.ts';
import type { Accept } from './accept.ts';
import type { Connection } from './connection.ts';
import type { ReadWanted } from './documents.ts';
import type { Execution } from './execution.ts';
import { errorsOf, graphQLError, present } from './present.ts';
import { closeSocket } from './socket.ts';
import { writingOutcome, writingText } from './stream.ts';

export interface ProtocolOptions {
  gateway: Gateway;
  execution: Execution;
  read: ReadWanted;
  accept: Accept;
  admit?: Admit;
  /** Headers that are passed on besides the credentials. */
  forward?: readonly string[];
  /** Milliseconds for a query, a mutation, or the start of a subscription. */
  timeout: number;
  /** Operations a connection may run at a time. */
  maxOperations: number;
  /** Bytes of an answer, or of one event, and of the rows read for it. */
  answerLimit: number;
}

/** An operation under way, as the hooks hand it to each other. */
interface Running {
  /** What the client calls it. */
  id: string;
  caller: RequestContext;
  operation: Lifetime;
  connection: Connection;
  wantsCost: boolean;
}

/** Sends the data of results, which is text already. */
function textWriter({ contextValue }: ExecutionArgs): (data: string) => void {
  const { connection, id } = contextValue as Running;
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":{"data":`;
  return (data) => connection.send(`${head}${data}}}`);
}

/** What this server does at each step of the graphql-ws protocol. */
export function protocol(options: ProtocolOptions, closing: AbortSignal): ServerOptions<Record<string, unknown>, Connection> {
  const { gateway, execution, admit, forward, timeout, maxOperations, answerLimit } = options;

  /** Everything that stands between a message and its operation. Throws the refusal. */
  async function accept(
    connection: Connection,
    id: string,
    payload: SubscribePayload,
    operation: Lifetime,
  ): Promise<ExecutionArgs> {
    if (closing.aborted) throw fail('UNAVAILABLE', 'The server is restarting. Try again shortly.');
    if (connection.operations.size > maxOperations) {
      throw fail('RATE_LIMITED', `A connection may run ${maxOperations} operations at a time`);
    }
    // A page that connected without a key (GraphiQL) may name it with the operation.
    const headers = { ...connection.headers, ...readCredentials(payload.extensions?.headers, forward) };
    const caller: RequestContext = { headers, signal: operation.signal, budget: new AnswerBudget(answerLimit) };
    const refusal = (await admit?.(caller, { access: 'user' }))?.refusal;
    if (refusal) throw fail(codeOf({ extensions: refusal }), refusal.message);

    const { operationName, variables } = payload;
    const document = options.read(payload);
    options.accept(document, operationName);
    const contextValue: Running = { caller, operation, connection, id, wantsCost: payload.extensions?.cost === true };
    return { schema: gateway.schema, document, operationName, variableValues: variables, contextValue };
  }

  const asked = ({ document, operationName, variableValues, contextValue }: ExecutionArgs) => {
    const { caller, operation: lifetime, wantsCost } = contextValue as Running;
    return { document, operationName, variables: variableValues, context: caller, lifetime, wantsCost };
  };

  return {
    connectionInitWaitTimeout: 10_000,

    async onConnect({ connectionParams, extra: connection }) {
      connection.headers = { ...connection.headers, ...readCredentials(connectionParams, forward) };
      try {
        const { refusal } = (await admit?.({ headers: connection.headers }, { access: 'public' })) ?? {};
        const refused = refusalError(refusal);
        if (!refused) return true;
        closeSocket(connection.socket, closeCode(refused), refused.message);
      } catch (error) {
        const { message, extensions } = present(graphQLError(error), connection.log);
        closeSocket(connection.socket, closeCode(fail(codeOf({ extensions }), message)), message);
      }
      return false;
    },

    async onSubscribe({ extra: connection }, id, payload) {
      const operation = new Lifetime(timeout);
      connection.operations.set(payload, operation);
      try {
        return await accept(connection, id, payload, operation);
      } catch (error) {
        connection.operations.delete(payload);
        return errorsOf(error);
      }
    },

    execute(args) {
      const { connection, operation } = args.contextValue as Running;
      const write = textWriter(args);
      const answer = execution
        .execute(asked(args))
        // The client may have given up the operation.
        .then((outcome) => writingOutcome(outcome, (data) => !operation.signal.aborted && write(data)))
        .finally(() => connection.executing.delete(answer));
      connection.executing.add(answer);
      return answer;
    },

    async subscribe(args) {
      const events = await execution.subscribe(asked(args));
      return Symbol.asyncIterator in events ? writingText(events, textWriter(args)) : events;
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
