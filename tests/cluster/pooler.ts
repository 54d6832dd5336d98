import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findAccount, provideFolder } from '../../start/servers/postgres-cluster.ts';
import { launch, Part } from './part.ts';
import { untilOpen } from './ports.ts';

/** Sessions are shared, so the pooler sets what a session of the product would have set itself. */
const CONNECT_QUERY = 'set statement_timeout = 30000; set lock_timeout = 10000; set idle_in_transaction_session_timeout = 30000';
const configuration = (server: URL, port: number, sessions: number) => `[databases]
${server.pathname.slice(1)} = host=${server.hostname} port=${server.port} connect_query='${CONNECT_QUERY}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = userlist.txt
pool_mode = transaction
max_client_conn = 1000
default_pool_size = ${sessions}
query_wait_timeout = 10
server_login_retry = 1
server_connect_timeout = 5
# Longer than the server lets a statement run, so that it ends only statements of connections that are lost.
query_timeout = 35
`;

/** PgBouncer in transaction mode in front of PostgreSQL, and the address of the database through it. */
export async function poolerPart(
  program: string,
  dataDir: string,
  databaseUrl: string,
  port: number,
  { sessions = 60 }: { sessions?: number } = {},
) {
  const server = new URL(databaseUrl);
  // PgBouncer does not run as root.
  const account = await findAccount(join(dataDir, 'postgres'));
  const folder = join(dataDir, 'pgbouncer');
  await provideFolder(folder, dataDir, account);
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    if (account.uid !== undefined) await chown(join(folder, name), account.uid, account.gid!);
  };
  await write('pgbouncer.ini', configuration(server, port, sessions));
  await write('userlist.txt', `"${decodeURIComponent(server.username)}" "${decodeURIComponent(server.password)}"\n`);
  const url = new URL(databaseUrl);
  url.port = String(port);
  const part = new Part('pgbouncer', () =>
    launch({
      command: program,
      args: ['pgbouncer.ini'],
      logFile: join(dataDir, 'pgbouncer.log'),
      ready: () => untilOpen(port),
      account,
      cwd: folder,
    }),
  );
  return { part, url: url.href };
}
