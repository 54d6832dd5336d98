/** Yield the data of the messages of Server-Sent Events. Linear in the bytes, whatever their lines are. */
export async function* messagesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let data: string[] = [];
  let event = '';
  for await (const lines of linesOf(body)) {
    for (const line of lines) {
      if (line !== '') {
        const [name, value] = fieldOf(line);
        if (name === 'data') data.push(value);
        if (name === 'event') event = value;
        continue;
      }
      if (data.length > 0 && (event === '' || event === 'message')) yield data.join('\n');
      data = [];
      event = '';
    }
  }
}

/** The complete lines of each chunk. Lines end with CR, LF or both. */
async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  let hasEndedWithCr = false;
  for await (const chunk of body) {
    const decoded = decoder.decode(chunk, { stream: true });
    if (decoded === '') continue;
    const text = hasEndedWithCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    hasEndedWithCr = decoded.endsWith('\r');
    // Only the new chunk is searched, because a line may have many chunks.
    const lines = text.split(/\r\n|\r|\n/);
    lines[0] = rest + lines[0];
    rest = lines.pop()!;
    yield lines;
  }
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}
