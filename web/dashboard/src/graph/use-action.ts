import { type AnyVariables, type OperationContext, type TypedDocumentNode, useMutation } from 'urql';
import { type Question, showDone, useConfirm } from '../parts/overlays.tsx';

interface Options<Data> {
  /** Asked before the mutation, as a question about something that cannot be undone. */
  ask?: Question;
  /** Confirms the mutation. */
  done?: string | ((data: Data) => string);
  after?(data: Data): void;
  context?: Partial<OperationContext>;
}

/** A mutation as an action of the reader: returns the function that runs it, and whether it is running. Its failures show by themselves. */
export function useAction<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  { ask, done, after, context }: Options<Data> = {},
) {
  const confirm = useConfirm();
  const [{ fetching }, mutate] = useMutation(document);
  async function run(variables: Variables): Promise<void> {
    if (ask && !(await confirm({ danger: true, ...ask }))) return;
    const { data } = await mutate(variables, context);
    if (!data) return;
    if (done) showDone(typeof done === 'string' ? done : done(data));
    after?.(data);
  }
  return [run, fetching] as const;
}
