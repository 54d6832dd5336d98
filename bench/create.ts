import { processorTime } from './costs/cpu.ts';
import { bodyOf } from './load.ts';
import type { Line } from './report.ts';
import { each, interleave } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

const organization = 'bulk';
const REQUESTS = 2_000;
const CONCURRENCY = 8;
const name = 'create a product, CPU of a request';

/** Processor time of the gateway for `POST /products/create`, compared with a hand-written endpoint that inserts the same row. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const peer = await bench.peer('create');
  const pairs = await interleave(
    bench.rounds,
    () => cpuOf(bench, { url: bench.url, pid: bench.processes.gateway }),
    () => cpuOf(bench, peer),
    (text) => note(`${name}: ${text}`),
  );
  const line = { name, peer: 'Fastify + pg by hand, without keys and limits', pairs, unit: 'µs' };
  return [{ ...line, values: each(pairs, (ours, theirs) => theirs / ours) }];
}

export const create: Part = { organizations: [organization], measure };

let made = 0;
function product() {
  made += 1;
  const text = {
    manufacturer: 'Norrvik AB',
    mpn: `MPN-${made}`,
    uom: 'piece',
    brand: 'Norrvik',
    category: 'Home > Cordless drill',
  };
  return {
    ...{ sku: `ONE-${made}`, name: `Norrvik Cordless drill ${made}`, ...text, externalId: `one-${made}` },
    userProvidedRawDataSources: ['A sturdy piece for daily use, made in small series.', 'Color: red. Weight: 2.4 kg'],
  };
}

/** Microseconds of the processor for each of many requests. */
async function cpuOf(bench: Bench, { url, pid }: { url: string; pid: number }): Promise<number> {
  const requests = bench.of(REQUESTS);
  const target = { url: `${url}/api/${organization}/products/create`, headers: bench.headers };
  const before = await processorTime({ pid });
  let left = requests;
  const sendAll = async () => {
    for (; left > 0; left -= 1) await bodyOf({ ...target, body: JSON.stringify(product()) });
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendAll));
  const after = await processorTime({ pid });
  return ((after.pid - before.pid) * 1_000) / requests;
}
