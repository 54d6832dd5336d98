const syllables = 'ba co di fe ga hu jo ka li mo nu pe qua ri so tu va wo xi zy tra ble sto mer'.split(' ');

/** A generator with the same results in every run. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const wordOf = (number: number): string => {
  let word = '';
  for (let rest = number + 30; rest > 0; rest = Math.floor(rest / syllables.length)) word += syllables[rest % syllables.length];
  return word;
};

/** A text of words with the frequencies of a natural language (Zipf), with 20,000 different words. */
export function textOf(random: () => number, words: number): string {
  const parts = Array.from({ length: words }, () => wordOf(Math.floor(20_000 ** random()) - 1));
  return `${parts.join(' ')}.`;
}
