import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './folders.ts';
import { lastLines, run } from './run.ts';

const VERSION = 'v1.5.1';
const EXE = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
type Step = (text: string) => void;

/** Find the Temporal CLI: on the PATH, in the cache, by the SDK's download, or built with Go. Throws an error that lists the options. */
export async function findTemporal(onStep: Step = () => {}): Promise<string> {
  const folder = join(cacheFolder(), 'temporal');
  await mkdir(folder, { recursive: true });
  const found =
    (await working('temporal')) ??
    (await working(join(folder, EXE))) ??
    (await downloaded(folder)) ??
    (await download(folder, onStep)) ??
    (await build(folder, onStep));
  if (found) return found;
  throw new Error(
    'No Temporal server: the Temporal CLI is not installed, and the download and the build with Go failed. ' +
      'Install the Temporal CLI or Go, or set TEMPORAL_ADDRESS to an existing server.',
  );
}

async function working(program: string): Promise<string | undefined> {
  const { code } = await run(program, ['--version'], { timeoutMs: 15_000 });
  return code === 0 ? program : undefined;
}

/** A previous download of the SDK, which chooses the file name. */
async function downloaded(folder: string): Promise<string | undefined> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith('temporal-sdk-') && (await stat(path)).isFile()) {
      const program = await working(path);
      if (program) return program;
    }
  }
  return undefined;
}

async function download(folder: string, onStep: Step): Promise<string | undefined> {
  onStep('Downloading the Temporal dev server');
  const script = `
    import { TestWorkflowEnvironment } from '@temporalio/testing';
    const env = await TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'cached-download', downloadDir: process.argv[1] } } });
    await env.teardown();
    process.exit(0);`;
  // Use a separate process, because the SDK's download cannot be canceled.
  const stalled = new AbortController();
  const watch = watchGrowth(folder, () => stalled.abort());
  await run(process.execPath, ['--input-type=module', '-e', script, folder], {
    signal: stalled.signal,
    cwd: join(import.meta.dirname, '..', '..'),
  });
  clearInterval(watch);
  return downloaded(folder);
}

/** Tolerates a slow network, but not an unresponsive one. */
function watchGrowth(folder: string, onStalled: () => void): NodeJS.Timeout {
  let [last, at] = [-1, Date.now()];
  return setInterval(async () => {
    const files = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name)).catch(() => undefined)));
    const size = files.reduce((sum, file) => sum + (file?.size ?? 0), 0);
    if (size !== last) [last, at] = [size, Date.now()];
    if (Date.now() - at > 15_000) onStalled();
  }, 1_000);
}

async function build(folder: string, onStep: Step): Promise<string | undefined> {
  if ((await run('go', ['version'])).code !== 0) return undefined;
  onStep('Building the Temporal dev server with Go (about 3 minutes, once)');
  const built = await run('go', ['install', `github.com/temporalio/cli/cmd/temporal@${VERSION}`], {
    env: { ...process.env, GOBIN: folder },
    timeoutMs: 20 * 60_000,
  });
  if (built.code !== 0) return void onStep(`Go failed to build it: ${lastLines(built.output, 1)}`);
  await chmod(join(folder, EXE), 0o755);
  return working(join(folder, EXE));
}
