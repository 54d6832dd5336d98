import type { Line } from './report.ts';
import { each, interleave, pick } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

const organization = 'live';
const [ONE_BY_ONE, AT_ONCE] = [20, 200];
const peer = 'the same request to the provider';
const FIRST_TOKEN = /"delta":"|"delta":\{"content":"/;

/** Milliseconds until the first token and until the end of a stream. */
interface Times {
  first: number;
  last: number;
}

/** Time to the first token of a reply, and many streams in one process, compared with the provider alone. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const { slug } = bench.organizations[organization]!;
  const base = `${bench.url}/api/${slug}/agents`;
  const created = await fetch(base, { method: 'POST', headers: bench.headers, body: JSON.stringify({ name: 'Bench' }) });
  const { data } = (await created.json()) as { data: { agent: { id: string } } };
  const chat = `${base}/${data.agent.id}/chat`;
  const message = { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] };
  const ours = () => stream(chat, bench.headers, message);
  const direct = { model: 'bench', stream: true, messages: [{ role: 'user', content: 'Hello' }] };
  const theirs = () => stream(`${bench.model}/chat/completions`, { 'content-type': 'application/json' }, direct);

  const [alone, together] = [bench.of(ONE_BY_ONE), bench.of(AT_ONCE)];
  const inTurn = async (one: () => Promise<Times>) => {
    const times: Times[] = [];
    for (let sent = 0; sent < alone; sent += 1) times.push(await one());
    return times;
  };
  note('chat: one stream at a time');
  const single = await interleave(
    bench.rounds,
    () => inTurn(ours),
    () => inTurn(theirs),
    note,
  );
  note(`chat: ${together} streams at once`);
  const atOnce = (one: () => Promise<Times>) => Promise.all(Array.from({ length: together }, one));
  const many = await interleave(
    bench.rounds,
    () => atOnce(ours),
    () => atOnce(theirs),
    note,
  );
  const line = (name: string, times: typeof single, figure: (of: Times[]) => number, below?: number): Line => {
    const pairs = pick(times, figure);
    return { name, peer, pairs, unit: 'ms', values: each(pairs, (our, their) => our - their), below };
  };
  const first = (share: number) => (of: Times[]) =>
    quantile(
      of.map((each) => each.first),
      share,
    );
  return [
    line('chat, first token, median', single, first(0.5), 30),
    line(`chat, ${together} streams at once, first token, median`, many, first(0.5)),
    line(`chat, ${together} streams at once, first token, 99 %`, many, first(0.99)),
    line(`chat, ${together} streams at once, last part, 99 %`, many, (of) =>
      quantile(
        of.map(({ last }) => last),
        0.99,
      ),
    ),
  ];
}

async function stream(url: string, headers: Record<string, string>, body: object): Promise<Times> {
  const started = performance.now();
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const decoder = new TextDecoder();
  let text = '';
  let first: number | undefined;
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    if (first === undefined && FIRST_TOKEN.test(text)) first = performance.now() - started;
  }
  if (first === undefined || !text.includes('[DONE]')) throw new Error(`The stream has no answer: ${response.status} ${text}`);
  return { first, last: performance.now() - started };
}

function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export const chat: Part = { organizations: [organization], measure };
