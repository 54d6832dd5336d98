import { randomUUID } from 'node:crypto';
import { type Postgres, startPostgres } from '../../start/servers/postgres.ts';
import { caller } from '../support/client.ts';
import { postFiles } from '../support/form.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { type GatewayProcess, startGateway } from '../support/system.ts';
import { until } from '../support/until.ts';

/** Room for the server and the migrations. */
const DATA_MIB = 320;
const UPLOADS_MIB = 2;

const disks = [await mountSmallDisk(DATA_MIB), await mountSmallDisk(UPLOADS_MIB)];
const [data, uploads] = disks as [SmallDisk, SmallDisk];
const whenMountable = disks.every(Boolean) ? describe : describe.skip;
afterAll(() => Promise.all(disks.map((disk) => disk?.remove())));

whenMountable('on a full disk', () => {
  let server: Postgres;
  let gateway: GatewayProcess;
  let organization: Awaited<ReturnType<typeof seedOrganization>>;
  const isRunning = () => fetch(`${gateway.url}/readyz`).then(({ status }) => status === 200);
  const api = () => caller(organization.key, { url: gateway.url });
  const rows = async (statement: string, values: unknown[]) => (await database(server.url).query(statement, values)).rows;

  beforeAll(async () => {
    // Small segments of the log, so that it needs space soon.
    server = await startPostgres({
      dataDir: data.folder,
      settings: { max_wal_size: '64MB', min_wal_size: '32MB', shared_buffers: '32MB' },
    });
    gateway = await startGateway({ DATABASE_URL: server.url, TMPDIR: uploads.folder });
    organization = await seedOrganization({ databaseUrl: server.url });
  });
  afterAll(async () => {
    await gateway?.stop();
    await server?.stop();
  });

  const upload = async (bytes: number) => {
    const file = { name: 'list.csv', type: 'text/csv', content: `SKU\n${'x'.repeat(bytes)}\n` };
    const answer = await postFiles({ ...organization, url: gateway.url }, '/enrichment-files/upload', [file]);
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const expectUnavailable = ({ status, headers, body }: { status: number; headers: Headers; body: unknown }) => {
    expect({ status, body }).toEqual({ status: 503, body: { success: false, message: 'Service Unavailable' } });
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  };

  test('an upload that does not fit the temporary folder gets 503, and leaves neither a record nor a file', async () => {
    const count = async () => (await rows('select count(*)::int from catalog.files', []))[0].count;
    expect((await upload(1_000)).status).toBe(200);
    const before = await count();
    expectUnavailable(await upload(3 * 1024 ** 2));
    await uploads.fill();
    expectUnavailable(await upload(1_000_000));
    expect(await count()).toBe(before);
    await uploads.free();
    expect((await upload(1_000_000)).status).toBe(200);
  });

  test('while the disk of PostgreSQL is full, requests get 503 or succeed, and everything accepted is whole', async () => {
    await data.fill();
    const accepted = { products: [] as string[], files: [] as string[] };
    const refused: Awaited<ReturnType<typeof upload>>[] = [];
    await until(async () => {
      const sku = randomUUID();
      const written = await api().post(`/api/${organization.slug}/products/create`, { sku, name: 'x'.repeat(200) });
      if (written.status === 200) accepted.products.push(sku);
      else refused.push(written);
      const stored = await upload(900_000);
      if (stored.status === 200) accepted.files.push(...stored.body.uploadedFileIds);
      else refused.push(stored);
      return refused.length >= 20;
    });
    for (const each of refused) expectUnavailable(each);
    await data.free();
    // A server that cannot extend its log stops.
    server = await startPostgres({ dataDir: data.folder });
    await until(isRunning);
    const products = await rows('select sku from catalog.products where organization_id = $1', [organization.id]);
    expect(products.map(({ sku }) => sku)).toEqual(expect.arrayContaining(accepted.products));
    const broken = `
      select f.id from catalog.files f left join catalog.file_chunks c on c.file_id = f.id
       where f.organization_id = $1 and f.ready group by f.id having coalesce(sum(length(c.bytes)), 0) <> f.bytes`;
    expect(await rows(broken, [organization.id])).toEqual([]);
    const whole = await rows('select id from catalog.files where ready and organization_id = $1', [organization.id]);
    expect(whole.map(({ id }) => id)).toEqual(expect.arrayContaining(accepted.files));
    expect((await upload(900_000)).status).toBe(200);
    expect((await api().post(`/api/${organization.slug}/products/create`, { sku: randomUUID(), name: 'Drill' })).status).toBe(200);
  });
});
