import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readContent } from '../platform/outbound/web-page.ts';
import { readHtml } from '../platform/reading/html-page.ts';
import type { Line } from './report.ts';
import { each, interleave, pick } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

const URL = 'https://shop.example/lamp';
const PAGES = 200;
/** A third of a typical shop page is text; the rest is navigation, scripts and styles. */
const PARTS = {
  'pages of 60 kB': 100,
  'pages of 600 kB': 1_000,
};

const pageOf = (parts: number): string => {
  const part = (at: number) => `<div class="row"><h3>Section ${at}</h3><p>Made of <b>oak</b>, ${at} cm wide, for indoor use.</p>
    <table><tr><th>Height</th><td>${at} cm</td></tr><tr><th>Color</th><td>Natural</td></tr></table>
    <script>track(${at}, "${'x'.repeat(200)}")</script><nav><a href="/c/${at}">More of this kind</a></nav></div>`;
  return `<!doctype html><html><head><title>Lamp</title></head><body>${Array.from({ length: parts }, (_, at) => part(at)).join('')}</body></html>`;
};

/** Reading of friendly pages in threads, beside the same reading on the event loop. */
async function measure({ rounds, of }: Bench, note: Note): Promise<Line[]> {
  const lines: Line[] = [];
  for (const [name, parts] of Object.entries(PARTS)) {
    const html = pageOf(parts);
    const response = { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from(html), url: URL, truncated: false };
    const count = of(PAGES);
    // Four organizations crawl at the same time.
    const inThreads = () =>
      timed(() => Promise.all(Array.from({ length: count }, (_, at) => readContent(`organization-${at % 4}`, response))));
    const onLoop = () =>
      timed(async () => {
        for (let at = 0; at < count; at += 1) {
          readHtml(response.body.toString(), URL);
          await new Promise(setImmediate);
        }
      });
    const figures = await interleave(rounds, inThreads, onLoop, (text) => note(`${name}: ${text}`));
    const times = pick(figures, ({ time }) => time / count);
    const delays = pick(figures, ({ delay }) => delay);
    const peer = 'the same on the event loop';
    lines.push(
      { name: `${name}, time of one`, peer, pairs: times, unit: 'ms', values: each(times, (a, b) => b / a), atLeast: 0.83 },
      { name: `${name}, longest delay of the event loop`, peer, pairs: delays, unit: 'ms', values: each(delays, (a, b) => b / a) },
    );
  }
  return lines;
}

async function timed(work: () => Promise<unknown>): Promise<{ time: number; delay: number }> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const started = performance.now();
  await work();
  delays.disable();
  return { time: performance.now() - started, delay: delays.max / 1e6 };
}

export const reading: Part = { organizations: [], measure };
