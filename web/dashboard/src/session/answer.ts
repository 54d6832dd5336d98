import { useCallback, useEffect, useState } from 'react';
import { CombinedError } from 'urql';
import { Refusal } from './api.ts';

/** The result of a request outside the graph: undefined until it is here. */
export function useAnswer<Value>(read: () => Promise<Value>) {
  const [answer, setAnswer] = useState<{ value: Value } | { error: CombinedError }>();
  const retry = useCallback(() => {
    setAnswer(undefined);
    read().then(
      (value) => setAnswer({ value }),
      (error: Error) => setAnswer({ error: errorOf(error) }),
    );
  }, [read]);
  useEffect(retry, [retry]);
  return { answer, retry };
}

/** The failure in the form of those of the graph. A proxy that refuses a request does not reach the server. */
function errorOf(error: Error): CombinedError {
  const { response, sentence } = error instanceof Refusal ? error : {};
  return new CombinedError(sentence ? { graphQLErrors: [sentence], response } : { networkError: error, response });
}
