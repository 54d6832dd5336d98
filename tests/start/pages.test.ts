import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPages, web } from '../../start/page-builds.ts';

test('a start removes unfinished builds of dead processes, and leaves those of running processes', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const [stale, old, running] = [`${pid}`, `${pid}-old`, `${process.ppid}`].map((id) => join(web, 'widget', `.build-${id}`));
  for (const folder of [stale!, old!, running!]) await mkdir(join(folder, 'assets'), { recursive: true });
  try {
    await buildPages(() => {}, ['widget']);
    expect([stale!, old!, running!].map((folder) => existsSync(folder))).toEqual([false, false, true]);
  } finally {
    for (const folder of [stale!, old!, running!]) await rm(folder, { recursive: true, force: true });
  }
});
