import { request as httpRequest } from 'node:http';
import { caller } from '../support/client.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import { serve } from '../support/http-server.ts';
import type { Running } from '../support/processes.ts';
import { closeDatabases, seedOrganization } from '../support/seed.ts';
import { startSubgraph } from '../support/system.ts';
import { until } from '../support/until.ts';

const SECRET = 'known-to-the-processes-only';
/** The subgraph answers requests with this alias only after `release`. */
const HELD = 'heldBack';

let catalog: Running;
let gateway: Gateway;
let held: (() => void)[] = [];
const release = () => {
  for (const answer of held) answer();
  held = [];
};

beforeAll(async () => {
  catalog = await startSubgraph('catalog', { SUBGRAPH_SECRET: SECRET });
  const slow = await serve((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const forward = () => {
        const { method, headers, url } = incoming;
        httpRequest(new URL(url!, catalog.addresses.url!), { method, headers }, (answer) => {
          outgoing.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(outgoing);
        }).end(body);
      };
      if (body.includes(HELD)) held.push(forward);
      else forward();
    });
  });
  gateway = await openGateway({ CATALOG_URL: slow.url, SUBGRAPH_SECRET: SECRET });
});
afterAll(async () => {
  release();
  await gateway.stop();
  await catalog.stop();
  await closeDatabases();
});

test('an organization with many slow requests to a subgraph does not delay another one', async () => {
  const [busy, other] = await Promise.all([seedOrganization(), seedOrganization()]);
  const slow = Array.from({ length: 100 }, (_, at) =>
    caller(busy.key, { url: gateway.url }).graphql(`{ ${HELD}: brands(search: "none ${at}") { nodes { id } } }`),
  );
  await until(() => held.length === 32);
  const { graphql } = caller(other.key, { url: gateway.url });
  expect(await graphql('{ organization { slug } }')).toEqual({ organization: { slug: other.slug } });
  expect(held).toHaveLength(32);
  const served = setInterval(release, 10);
  expect(await Promise.all(slow)).toEqual(slow.map(() => ({ [HELD]: { nodes: [] } })));
  clearInterval(served);
});
