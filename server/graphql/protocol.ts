import type { Gateway, RequestContext } from 'compiled-gateway';
import type { ExecutionArgs } from 'graphql';
import type { ServerOptions, SubscribePayload } from 'graphql-ws';
import { AnswerBudget } from '../../schema/answer-budget.ts';
import { codeOf, fail } from '../../schema/errors.ts';
import type { Admission, Admit } from '../../schema/request.ts';
import { closeCode, ownerOf, refusalError } from '../admission.ts';
import { readCredentials } from '../credentials.ts';
import type { Lifetime } from '../lifetime.ts';
import type { ReadSession } from '../sign-in/cookie.ts';
import type { Accept } from './accept.ts';
import { chargeOperation, REQUIREMENT } from './charge.ts';
import type { Connection } from './connection.ts';
import type { ReadDocument } from './documents.ts';
import type { Execution } from './execution.ts';
import type { Operation } from './operations.ts';
import { errorsOf, graphQLError, present } from './present.ts';
import { closeSocket } from './socket.ts';
import { outcomeOf, streamResults } from './stream.ts';

export interface ProtocolOptions {
  gateway: Gateway;
  execution: Execution;
  read: ReadDocument;
  accept: Accept;
  admit?: Admit;
  /** Names of headers to forward in addition to the credentials. */
  forward?: readonly string[];
  /** Reads the session of the dashboard from the handshake. */
  readSession?: ReadSession;
  /** Timeout of a query, a mutation, or the start of a subscription, in milliseconds. */
  timeout: number;
  /** Maximum cost of an operation. */
  costLimit: number;
  /** Maximum concurrent operations per connection. */
  maxOperations: number;
  /** Maximum bytes of a response or event, and of the rows read for it. */
  answerLimit: number;
}

/** A running operation; the hooks pass it to each other as context value. */
interface Running {
  /** The id that the client chose. */
  id: string;
  caller: RequestContext;
  operation: Lifetime;
  connection: Connection;
  wantsCost: boolean;
}

/** For the log line of an operation. */
interface Opened {
  organizationId?: string;
  operation: string;
  startedAt: number;
}

/** Sends result data, which is already JSON text, as `next` messages. */
function textWriter({ contextValue }: ExecutionArgs): (data: string) => void {
  const { connection, id } = contextValue as Running;
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":{"data":`;
  return (data) => connection.send(`${head}${data}}}`);
}

function refuse(refusal: Admission['refusal']): void {
  if (refusal) throw fail(codeOf({ extensions: refusal }), refusal.message);
}

/** Create the handlers of the graphql-ws protocol. */
export function protocol(options: ProtocolOptions, closing: AbortSignal): ServerOptions<Record<string, unknown>, Connection> {
  const { gateway, execution, admit, forward, maxOperations, answerLimit, costLimit } = options;
  const opened = new WeakMap<SubscribePayload, Opened>();

  /** Admit and validate an operation. Throws the refusal. */
  async function accept(
    connection: Connection,
    payload: SubscribePayload,
    { id, lifetime: operation }: Operation,
  ): Promise<ExecutionArgs> {
    if (closing.aborted) throw fail('UNAVAILABLE', 'The server is restarting. Try again shortly.');
    if (connection.operations.size > maxOperations) {
      throw fail('RATE_LIMITED', `A connection may run ${maxOperations} operations at a time`);
    }
    // A client that connected without a key, such as GraphiQL, may send it with the operation.
    const headers = { ...connection.headers, ...readCredentials(payload.extensions?.headers, forward) };
    const caller: RequestContext = { headers, signal: operation.signal, budget: new AnswerBudget(answerLimit) };
    // Visitors have no key. The resolvers of all other fields require one.
    const startedAt = performance.now();
    const admission = await admit?.(caller, REQUIREMENT);
    refuse(admission?.refusal);
    if (admission) caller.owner = ownerOf(admission);
    // The client may have completed the operation.
    operation.signal.throwIfAborted();

    const { operationName, variables } = payload;
    const document = options.read(payload);
    const accepted = options.accept(document, operationName);
    refuse((await chargeOperation({ admit, limit: costLimit }, caller, accepted, variables))?.refusal);
    opened.set(payload, { organizationId: admission?.organizationId ?? undefined, operation: accepted.title, startedAt });
    const contextValue: Running = { caller, operation, connection, id, wantsCost: payload.extensions?.cost === true };
    return { schema: gateway.schema, document, operationName, variableValues: variables, contextValue };
  }

  const requestOf = ({ document, operationName, variableValues, contextValue }: ExecutionArgs) => {
    const { caller, operation: lifetime, wantsCost } = contextValue as Running;
    return { document, operationName, variables: variableValues, context: caller, lifetime, wantsCost };
  };

  return {
    connectionInitWaitTimeout: 10_000,

    async onConnect({ connectionParams, extra: connection }) {
      connection.headers = { ...connection.headers, ...readCredentials(connectionParams, forward) };
      try {
        const { refusal } = (await admit?.({ headers: connection.headers }, REQUIREMENT)) ?? {};
        const refused = refusalError(refusal);
        if (!refused) return true;
        closeSocket(connection.socket, closeCode(refused), refused.message);
      } catch (error) {
        const { message, extensions } = present(graphQLError(error), connection.log);
        closeSocket(connection.socket, closeCode(fail(codeOf({ extensions }), message)), message);
      }
      return false;
    },

    async onSubscribe({ extra: connection }, number, payload) {
      try {
        return await accept(connection, payload, connection.operations.get(number)!);
      } catch (error) {
        return errorsOf(error);
      }
    },

    execute(args) {
      const { connection, operation } = args.contextValue as Running;
      const write = textWriter(args);
      const answer = execution
        .execute(requestOf(args))
        // The client may have completed the operation.
        .then((outcome) => outcomeOf(outcome, (data) => !operation.signal.aborted && write(data)));
      const settle = () => operation.settled();
      const work = answer.then(settle, settle).finally(() => connection.executing.delete(work));
      connection.executing.add(work);
      return answer;
    },

    async subscribe(args) {
      const events = await execution.subscribe(requestOf(args));
      return Symbol.asyncIterator in events ? streamResults(events, textWriter(args)) : events;
    },

    onNext: ({ extra: { log } }, _id, _payload, _args, { errors, ...result }) => ({
      ...result,
      ...(errors && { errors: errors.map((each) => present(each, log)) }),
    }),

    onError: ({ extra: { log } }, _id, _payload, errors) => errors.map((each) => present(each, log)),

    onComplete({ extra: { log } }, _id, payload) {
      const { startedAt, ...of } = opened.get(payload) ?? {};
      if (startedAt !== undefined)
        log.info({ ...of, responseTime: performance.now() - startedAt }, 'WebSocket operation completed');
      opened.delete(payload);
    },
  };
}
