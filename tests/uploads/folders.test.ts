import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeUploadFolder, startUploadSweep } from '../../rest-adapter/request/upload-space.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'catalog-graph-folders-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const DAY = 86_400_000;

/** The folder of a process, with a file in it. */
async function leave(host: string, pid: number, age = 0): Promise<string> {
  const name = `catalog-graph-uploads~${host}~${pid}~1700000000000~x`;
  await mkdir(join(parent, name, 'form-1'), { recursive: true });
  await writeFile(join(parent, name, 'form-1', '0'), 'half a file');
  const then = new Date(Date.now() - age);
  await utimes(join(parent, name), then, then);
  return name;
}

async function killed(): Promise<number> {
  const child = spawn('sleep', ['60']);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return child.pid!;
}

test('folders of dead processes are removed, and those of live ones are not', async () => {
  const alive = spawn('sleep', ['60']);
  await leave(hostname(), await killed());
  await leave(hostname(), process.pid);
  await leave('another-host', process.pid, 2 * DAY);
  const kept = [await leave(hostname(), alive.pid!, 30 * DAY), await leave('another-host', 1, DAY / 2)];
  await mkdir(join(parent, 'of another program'));
  const mine = await makeUploadFolder(parent);

  const stop = await startUploadSweep(parent);
  const names = await readdir(parent);
  expect(names).toHaveLength(4);
  expect(names).toEqual(expect.arrayContaining([...kept, 'of another program']));
  expect(await readdir(mine)).toEqual([]);

  await rm(mine, { recursive: true });
  await stop();
  expect(await readdir(parent)).toHaveLength(3);
  alive.kill();
});

test('a folder with a form in progress is not removed when the sweep stops', async () => {
  const stop = await startUploadSweep(parent);
  const mine = await makeUploadFolder(parent);
  await stop();
  expect(await readdir(mine)).toEqual([]);
});
