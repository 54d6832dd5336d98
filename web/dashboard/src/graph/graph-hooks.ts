import { useEffect, useEffectEvent, useState } from 'react';
import {
  type AnyVariables,
  type CombinedError,
  gql,
  type OperationContext,
  type TypedDocumentNode,
  type UseQueryArgs,
  type UseQueryExecute,
  type UseQueryState,
  useClient,
  useMutation,
  useQuery as useUrqlQuery,
} from 'urql';
import type { graphql as typed } from '../../.graph/gql.ts';
import { type Question, showDone, useConfirm } from '../parts/overlays.tsx';
import { isExcluded } from './graph-client.ts';

const fragments = new Map<string, ReturnType<typeof gql>>();

/**
 * Parse a document of a page. Its result and variables have the generated types; `npm run check` generates them.
 * A fragment has a document of its own. Import its module where a query spreads it.
 */
export const graphql = ((source: string) => {
  const spread = [...source.matchAll(/\.\.\.\s*(?!on\b)(\w+)/g)].flatMap(([, name]) => fragments.get(name!) ?? []);
  // The parts of a template that ends with its fragments.
  const parts = [source, ...spread.map(() => '')] as unknown as TemplateStringsArray;
  const document = gql(parts, ...spread);
  const [, name] = /^\s*fragment (\w+)/.exec(source) ?? [];
  if (name) fragments.set(name, document);
  return document;
}) as unknown as typeof typed;

type State<Data, Variables extends AnyVariables> = UseQueryState<Data, Variables> & {
  /** The data are those of an earlier read, because the last one failed. */
  isOutdated: boolean;
};

interface Last<Data> {
  key?: number;
  data?: Data;
  error?: CombinedError;
}

/**
 * Read a query and follow its data. After a failed read, the last data of the same query stay, also while it is repeated. Without them, a
 * page would lose what was typed and show lists as empty. The error stays until a read succeeds. When another query brings the same
 * objects, the cache repeats the old data without the error, which is no read.
 */
export function useQuery<Data, Variables extends AnyVariables>(
  options: UseQueryArgs<Variables, Data>,
): [State<Data, Variables>, UseQueryExecute] {
  const [state, read] = useUrqlQuery<Data, Variables>(options);
  const { operation } = state;
  const [last, setLast] = useState<Last<Data>>({});
  const known: Last<Data> = last.key === operation?.key ? last : {};
  const isCached = state.data !== undefined && operation?.context.meta?.cacheOutcome === 'hit';
  const error = state.error ?? (isCached ? known.error : undefined);
  const isHidden = error !== undefined && isExcluded(error);
  const isOld = !state.data || (isCached && error !== undefined);
  const data = isOld && isHidden ? undefined : (state.data ?? known.data);
  const next = { key: operation?.key, data, error };
  if (next.key !== last.key || next.data !== last.data || (next.error !== last.error && !state.fetching)) setLast(next);
  return [{ ...state, data, error, isOutdated: isOld && data !== undefined }, read];
}

interface Options<Data> {
  /** Asked before the mutation, as a question about something that cannot be undone. */
  ask?: Question;
  /** Confirms the mutation. */
  done?: string | ((data: Data) => string);
  after?(data: Data): void;
  /** Receives the error, which otherwise shows as a notice. */
  failed?(error: CombinedError): void;
  context?: Partial<OperationContext>;
}

/**
 * A mutation as an action of the reader: returns the function that runs it, which resolves to whether it is done, and whether it is running.
 * Its failures show by themselves, unless `failed` receives them.
 */
export function useAction<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  { ask, done, after, failed, context }: Options<Data> = {},
) {
  const confirm = useConfirm();
  const [{ fetching }, mutate] = useMutation(document);
  async function run(variables: Variables, question = ask): Promise<boolean> {
    if (question && !(await confirm({ danger: true, ...question }))) return false;
    const { data, error } = await mutate(variables, failed ? { ...context, quiet: true } : context);
    if (error) failed?.(error);
    if (!data) return false;
    if (done) showDone(typeof done === 'string' ? done : done(data));
    after?.(data);
    return true;
  }
  return [run, fetching] as const;
}

/** A mutation as a button: returns the function that gives the button its properties. */
export function useButton<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  options?: Options<Data>,
) {
  const [run, loading] = useAction(document, options);
  return (variables: Variables) => ({ loading, onClick: () => void run(variables) });
}

/**
 * Follow a subscription while the component is mounted. The socket resumes it after a lost connection, or after an error of the server,
 * without lost or repeated updates.
 * Objects with an `id` in an update also change every query that shows them.
 * @param variables null pauses the subscription
 */
export function useLive<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables | null,
  onUpdate: (data: Data) => void = () => {},
): void {
  const client = useClient();
  const receive = useEffectEvent(onUpdate);
  const key = JSON.stringify(variables);
  useEffect(() => {
    const parsed = JSON.parse(key) as Variables | null;
    if (!parsed) return;
    const updates = client.subscription(document, parsed, { live: true });
    return updates.subscribe(({ data }) => data && receive(data)).unsubscribe;
  }, [client, document, key]);
}

/** Repeat an action while the page is visible, and when it becomes visible again. For lists that have no subscription. */
export function useEvery(seconds: number, action: () => void): void {
  const run = useEffectEvent(() => {
    if (document.visibilityState === 'visible') action();
  });
  useEffect(() => {
    const timer = setInterval(run, seconds * 1_000);
    document.addEventListener('visibilitychange', run);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, [seconds]);
}
