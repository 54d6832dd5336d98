import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../platform/database/database.ts';
import { identityTables } from '../../platform/identity/tables.ts';
import { authority } from '../outbound/authority.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';

let folder: string;
let proxy: Awaited<ReturnType<typeof startTlsProxy>>;
let url: URL;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-graph-tls-'));
  await writeFile(join(folder, 'authority.pem'), authority);
  url = new URL(process.env.TEST_DATABASE_URL!);
  proxy = await startTlsProxy(url, 'postgres');
  url.host = `127.0.0.1:${proxy.port}`;
});
afterAll(async () => {
  await proxy.close();
  await rm(folder, { recursive: true });
});

const open = async (parameters: string) => {
  const database = await openDatabase(`${url.href}?${parameters}`, [identityTables], { connections: 1 });
  try {
    return (await database.pool.query('select 1 as one')).rows;
  } finally {
    await database.close();
  }
};

test('the parameters of DATABASE_URL select TLS and the authority for every connection', async () => {
  const root = `sslrootcert=${join(folder, 'authority.pem')}`;
  expect(await open(`uselibpqcompat=true&sslmode=verify-ca&${root}`)).toEqual([{ one: 1 }]);
  expect(await open('sslmode=no-verify')).toEqual([{ one: 1 }]);
  // The certificate has no name of a host.
  await expect(open(`sslmode=verify-full&${root}`)).rejects.toThrow(/does not match certificate's altnames/);
  await expect(open('sslmode=verify-full')).rejects.toThrow(/certificate/);
  await expect(open('sslmode=disable')).rejects.toThrow();
});
