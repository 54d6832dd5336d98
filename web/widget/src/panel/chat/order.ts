interface Entry {
  key: string;
  position?: number;
}

/** The messages with one added or replaced by its key. A message with a position comes between its neighbors by position. */
export function placed<M extends Entry>(messages: readonly M[], message: M): M[] {
  const others = messages.filter(({ key }) => key !== message.key);
  const known = messages.findIndex(({ key }) => key === message.key);
  const before = known === -1 ? others.length : known;
  const { position } = message;
  if (position === undefined) return others.toSpliced(before, 0, message);
  const lowest = others.findLastIndex((each) => each.position !== undefined && each.position < position) + 1;
  const next = others.findIndex((each) => each.position !== undefined && each.position > position);
  const highest = next === -1 ? others.length : next;
  return others.toSpliced(Math.min(Math.max(before, lowest), highest), 0, message);
}
