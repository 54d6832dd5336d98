import { placed } from '../../web/widget/src/panel/chat/transcript.ts';

const message = (key: string, position?: number) => ({ key, position });
const keys = (messages: { key: string }[]) => messages.map(({ key }) => key).join(' ');

test('a message that arrives late comes before those that follow it in the conversation', () => {
  const shown = [message('a', 1), message('note'), message('c', 3)];
  expect(keys(placed(shown, message('b', 2)))).toBe('a note b c');
  expect(keys(placed(shown, message('d', 4)))).toBe('a note c d');
  expect(keys(placed(shown, message('e')))).toBe('a note c e');
});

test('a message that learns its position moves only if its neighbors are in the wrong order', () => {
  const shown = [message('question'), message('operator', 5), message('note')];
  expect(keys(placed(shown, message('question', 6)))).toBe('operator question note');
  expect(keys(placed(shown, message('question', 4)))).toBe('question operator note');
  expect(keys(placed(shown, message('operator', 5)))).toBe('question operator note');
});
