import type { CombinedError } from 'urql';
import { messageOf, waitOf } from '../graph/client.ts';
import { useStrings } from '../strings/strings.tsx';

/** Returns a function that tells an error in plain words: the server's sentence, how long to wait, or that the server cannot be reached. */
export function useSentence(): (error: CombinedError) => string {
  const { states } = useStrings();
  return (error) => {
    const wait = waitOf(error);
    if (wait !== undefined) return states.busyNow(wait);
    return error.networkError ? `${states.unreachable}. ${states.unreachableText}` : messageOf(error);
  };
}
