/**
 * Remove the characters that match `leading` from the start, and those that match `trailing` from the end. A pattern such as
 * `/,+$/` takes quadratic time for long runs inside a text.
 */
export function trimCharacters(text: string, leading: RegExp, trailing = leading): string {
  let [start, end] = [0, text.length];
  while (start < end && leading.test(text[start]!)) start += 1;
  while (end > start && trailing.test(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}
