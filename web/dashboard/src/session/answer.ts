import { useCallback, useEffect, useState } from 'react';

/** The result of a request outside the graph: undefined until it is here. */
export function useAnswer<Value>(read: () => Promise<Value>) {
  const [answer, setAnswer] = useState<{ value: Value } | { failed: true }>();
  const retry = useCallback(() => {
    setAnswer(undefined);
    read().then(
      (value) => setAnswer({ value }),
      () => setAnswer({ failed: true }),
    );
  }, [read]);
  useEffect(retry, [retry]);
  return { answer, retry };
}
