import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from '../../start/servers/log-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalog-graph-logs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a log that cannot be written is reported once, and continues when it can', () => {
  const failures: string[] = [];
  const path = join(folder, 'logs', 'gateway.log');
  const log = openLog(path, { onFailed: ({ message }) => failures.push(message) });
  for (const line of ['lost 1', 'lost 2']) log.write(line);
  expect(failures).toEqual([expect.stringContaining('ENOENT')]);
  mkdirSync(join(folder, 'logs'));
  for (const line of ['first', 'second']) log.write(line);
  log.close();
  expect(readFileSync(path, 'utf8')).toBe('first\nsecond\n');
  expect(failures).toHaveLength(1);
});

const onFullDisk = existsSync('/dev/full') ? test : test.skip;
onFullDisk('a full disk is reported once', () => {
  const failures: string[] = [];
  const log = openLog('/dev/full', { onFailed: ({ message }) => failures.push(message) });
  for (const line of ['lost 1', 'lost 2']) log.write(line);
  log.close();
  expect(failures).toEqual([expect.stringContaining('ENOSPC')]);
});

test('a log above its limit is truncated, also after a restart', () => {
  const path = join(folder, 'worker.log');
  const open = () => openLog(path, { limit: 20, onFailed: (error) => expect(error).toBeUndefined() });
  const log = open();
  for (let at = 0; at < 10; at += 1) log.write(`line ${at}`);
  log.close();
  expect(readFileSync(path, 'utf8')).toBe('line 9\n');
  const again = open();
  for (const line of ['after', 'the restart', 'is new']) again.write(line);
  again.close();
  expect(readFileSync(path, 'utf8')).toBe('is new\n');
});
