/** Client of the inspector of a process that runs with `--inspect`. It measures what V8 cannot free. */

interface Message {
  id?: number;
  method?: string;
  params?: { sessionId?: string; message?: string };
  result?: { usedSize?: number; backingStorageSize?: number };
}

const address = /ws:\/\/127\.0\.0\.1:\d+\/\S+/;

/** Megabytes in the heaps of a process and of its threads, after a garbage collection. `output` is what the process has printed. */
export async function heapOf(output: string): Promise<number> {
  const url = address.exec(output)?.[0];
  if (!url) throw new Error('The process does not run with --inspect');
  const socket = new WebSocket(url);
  const threads: string[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  let last = 0;

  const call = (send: (text: string) => void, method: string, params: object = {}) =>
    new Promise<Message>((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      send(JSON.stringify({ id: last, method, params }));
    });
  const receive = (text: string) => {
    const message = JSON.parse(text) as Message;
    if (message.method === 'NodeWorker.attachedToWorker') threads.push(message.params!.sessionId!);
    else if (message.method === 'NodeWorker.receivedMessageFromWorker') receive(message.params!.message!);
    else if (message.id !== undefined) waiting.get(message.id)?.(message);
  };
  socket.addEventListener('message', ({ data }) => receive(String(data)));
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));

  const toProcess = (text: string) => socket.send(text);
  const toThread = (sessionId: string) => (message: string) =>
    void call(toProcess, 'NodeWorker.sendMessageToWorker', { sessionId, message });
  await call(toProcess, 'NodeWorker.enable', { waitForDebuggerOnStart: false });
  let bytes = 0;
  for (const send of [toProcess, ...threads.map(toThread)]) {
    await call(send, 'HeapProfiler.collectGarbage');
    const { result } = await call(send, 'Runtime.getHeapUsage');
    bytes += (result?.usedSize ?? 0) + (result?.backingStorageSize ?? 0);
  }
  socket.close();
  return bytes / 1024 / 1024;
}
