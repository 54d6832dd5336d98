import { Mark, Text, VisuallyHidden } from '@mantine/core';
import { useStrings } from '../strings/strings.tsx';

/** Words of a text, above which the comparison would take long. */
const MAX_WORDS = 1_500;

interface Piece {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** The differences between two texts, word by word. Longer texts are compared as a whole. */
export function WordDifference({ before, after }: { before: string; after: string }) {
  const { tests } = useStrings();
  if (before === after) return <Text>{tests.same}</Text>;
  const labels = { removed: tests.wordRemoved, added: tests.wordAdded };
  return (
    <Text component="div" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {differencesOf(before, after).map(({ kind, text }, at) =>
        kind === 'same' ? (
          text
        ) : (
          <Mark
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces have no other name, and are drawn at once.
            key={at}
            component={kind === 'removed' ? 'del' : 'ins'}
            color={kind === 'removed' ? 'red' : 'teal'}
          >
            <VisuallyHidden>{` ${labels[kind]}: `}</VisuallyHidden>
            {text}
          </Mark>
        ),
      )}
    </Text>
  );
}

/** By the longest common subsequence of the words. */
function differencesOf(before: string, after: string): Piece[] {
  const [old, fresh] = [wordsOf(before), wordsOf(after)];
  if (old.length > MAX_WORDS || fresh.length > MAX_WORDS)
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ];
  const width = fresh.length + 1;
  // The length of the longest common subsequence of the rests from these places on.
  const common = new Uint16Array((old.length + 1) * width);
  for (let a = old.length - 1; a >= 0; a -= 1)
    for (let b = fresh.length - 1; b >= 0; b -= 1)
      common[a * width + b] =
        old[a] === fresh[b]
          ? common[(a + 1) * width + b + 1]! + 1
          : Math.max(common[(a + 1) * width + b]!, common[a * width + b + 1]!);
  const pieces: Piece[] = [];
  const add = (kind: Piece['kind'], text: string) => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let [a, b] = [0, 0];
  while (a < old.length || b < fresh.length) {
    if (a < old.length && b < fresh.length && old[a] === fresh[b]) {
      add('same', old[a]!);
      a += 1;
      b += 1;
    } else if (b === fresh.length || (a < old.length && common[(a + 1) * width + b]! >= common[a * width + b + 1]!)) {
      add('removed', old[a]!);
      a += 1;
    } else {
      add('added', fresh[b]!);
      b += 1;
    }
  }
  return pieces;
}

/** Words, and the spaces and marks between them. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+|\s+|[^\p{L}\p{M}\p{N}\s]/gu) ?? [];
