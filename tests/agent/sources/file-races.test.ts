import { openVictims, type Victims } from '../../faults/system.ts';
import { type Sent, sendFiles } from '../../support/form.ts';
import { database } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { pdf } from './documents.ts';
import { openAgent } from './support.ts';

let victims: Victims;
beforeAll(async () => {
  victims = await openVictims();
});
afterAll(() => victims.close());

const rows = async (statement: string, ...values: unknown[]) => (await database(victims.databaseUrl).query(statement, values)).rows;

/** An agent, and functions that send files to it. */
async function open() {
  const agent = await openAgent({ url: victims.url(), databaseUrl: victims.databaseUrl });
  const target = () => ({ ...agent.organization, url: victims.url() });
  const path = `/agents/${agent.agentId}`;
  return {
    ...agent,
    add: (...files: Sent[]) => sendFiles(target(), `${path}/source-files`, files),
    replace: (id: string, file: Sent) => sendFiles(target(), `${path}/sources/${id}/file`, [file]),
    async remove(id: string): Promise<number> {
      const headers = { 'x-api-key': agent.organization.key };
      return (await fetch(`${victims.url()}${agent.path}/${id}`, { method: 'DELETE', headers })).status;
    },
    /** Every kept file belongs to one source, and every source has its file. */
    async expectWhole() {
      const broken = `
        select s.id, f.id as file from agent.sources s full join catalog.files f on f.id = s.file_id
         where coalesce(s.organization_id, f.organization_id) = $1 and (f.id is null or s.id is null or not f.kept)`;
      await until(async () => (await rows(broken, agent.organization.id)).length === 0);
    },
    ended: () =>
      until(
        async () =>
          (
            await rows(
              `select 1 from agent.sources where organization_id = $1 and status not in ('ready', 'failed')`,
              agent.organization.id,
            )
          ).length === 0,
        60_000,
      ),
    texts: async (id: string): Promise<string[]> =>
      (await rows('select text from agent.chunks where source_id = $1 order by position', id)).map(({ text }) => text),
  };
}

const text = (content: string, name = 'a.txt'): Sent => ({ name, type: 'text/plain', content });

test('files that are replaced and deleted at the same time leave no file behind, and the content of one version', async () => {
  const agent = await open();
  const { body } = await agent.add(...Array.from({ length: 6 }, (_, n) => text(`First version of ${n}.`, `${n}.txt`)));
  const ids: string[] = body.data.sources.map(({ id }: { id: string }) => id);
  const statuses = await Promise.all(
    ids.flatMap((id, n) => [
      ...[1, 2, 3, 4].map(async (version) => (await agent.replace(id, text(`Version ${version} of ${n}.`))).status),
      ...(n < 3 ? [agent.remove(id), agent.remove(id)] : []),
    ]),
  );
  expect(statuses.filter((status) => ![200, 404, 409, 422].includes(status))).toEqual([]);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3);
  await agent.ended();
  await agent.expectWhole();
  for (const id of ids.slice(0, 3)) expect(await agent.texts(id)).toEqual([]);
  for (const id of ids.slice(3)) {
    const [{ content }] = await rows(
      `select convert_from(c.bytes, 'UTF8') as content from agent.sources s join catalog.file_chunks c on c.file_id = s.file_id where s.id = $1`,
      id,
    );
    expect(await agent.texts(id)).toEqual([content]);
  }
}, 120_000);

test('killed workers and gateways lose no accepted file and double no passage', async () => {
  const agent = await open();
  const pages = Array.from({ length: 40 }, (_, n) => [`Lamp number ${n} has a warranty of ${n} years.`]);
  const accepted: string[] = [];
  const upload = async (name: string) => {
    // A killed gateway answers nothing, and its client cannot know whether the file was accepted.
    const answer = await agent.add({ name, type: 'application/pdf', content: pdf(pages) }).catch(() => undefined);
    if (answer?.status === 201) accepted.push(answer.body.data.sources[0].id);
  };
  for (let round = 0; round < 2; round += 1) {
    const uploads = Promise.all([0, 1, 2].map((n) => upload(`${round}-${n}.pdf`)));
    if (round % 2 === 0) {
      await uploads;
      await new Promise((resolve) => setTimeout(resolve, 150 * (round + 1)));
      await victims.worker.stop('SIGKILL');
      await victims.startWorker();
    } else {
      await new Promise((resolve) => setTimeout(resolve, 40 * round));
      await victims.gateway.stop('SIGKILL');
      await uploads;
      await victims.startGateway();
    }
  }
  expect(accepted.length).toBeGreaterThanOrEqual(3);
  await agent.ended();
  for (const id of accepted) {
    expect(await rows('select status, error, page_count from agent.sources where id = $1', id)).toEqual([
      { status: 'ready', error: null, page_count: 40 },
    ]);
    expect(await agent.texts(id)).toEqual(pages.flat());
  }
  // An upload whose gateway was killed is a draft, which expires.
  const broken = `select s.id from agent.sources s left join catalog.files f on f.id = s.file_id and f.kept where s.organization_id = $1 and f.id is null
     union all select f.id from catalog.files f left join agent.sources s on s.file_id = f.id where f.organization_id = $1 and f.kept and s.id is null`;
  expect(await rows(broken, agent.organization.id)).toEqual([]);
}, 240_000);
