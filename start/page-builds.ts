import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { PageFiles } from '../server/static-pages.ts';

const root = resolve(import.meta.dirname, '..');

/** The folder with the workspaces of the pages. */
export const web = join(root, 'web');

/** The workspaces of the pages. */
const WORKSPACES = ['dashboard', 'widget'];
/** Stored in each build. */
const FINGERPRINT = '.fingerprint';

interface PageBuilds {
  built: string[];
  current: string[];
  /** Pages that cannot be built, because the build tool is not installed. */
  missing: string[];
}

/** Build the pages whose sources changed since their last build. Throws an error with the output of a build that fails. */
export async function buildPages(onStep: (text: string) => void, names: readonly string[] = WORKSPACES): Promise<PageBuilds> {
  const builds: PageBuilds = { built: [], current: [], missing: [] };
  for (const folder of names.map((each) => join(web, each)).filter(hasSources)) {
    const name = basename(folder);
    await removeStaleDrafts(folder);
    if ((await storedFingerprint(folder)) === (await fingerprintOf(folder))) builds.current.push(name);
    else if (isToolInstalled()) {
      onStep(`building the ${name}`);
      await build(folder);
      builds.built.push(name);
    } else if (!existsSync(join(folder, 'dist'))) builds.missing.push(name);
  }
  return builds;
}

const hasSources = (folder: string) => ['vite.config.ts', 'index.html'].some((file) => existsSync(join(folder, file)));
const isToolInstalled = () => existsSync(join(root, 'node_modules', 'vite', 'package.json'));
const storedFingerprint = (folder: string) => readFile(join(folder, 'dist', FINGERPRINT), 'utf8').catch(() => undefined);

/** Build into a separate folder and rename it at the end, so that a concurrent process never serves a part of a build. */
async function build(folder: string): Promise<void> {
  const draft = join(folder, `.build-${process.pid}`);
  try {
    const before = await fingerprintOf(folder);
    await runBuild(folder, basename(draft));
    await compressFiles(draft);
    // Sources that changed meanwhile may be missing from the build. Without a fingerprint, the next start builds again.
    if ((await fingerprintOf(folder)) === before) await writeFile(join(draft, FINGERPRINT), before);
    await replace(join(folder, 'dist'), draft);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Remove the drafts of processes that ended during a build. A container often gives a new process the same id. */
async function removeStaleDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const id = Number(/^\.build-(\d+)(?:-old)?$/.exec(name)?.[1]);
    if (id && (id === process.pid || !isRunning(id))) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function replace(folder: string, draft: string): Promise<void> {
  const old = `${draft}-old`;
  await rename(folder, old).catch(ignore('ENOENT'));
  // Another process may have built the same sources in the meantime.
  await rename(draft, folder).catch(ignore('ENOTEMPTY', 'EEXIST'));
  await rm(old, { recursive: true, force: true });
}

const ignore =
  (...codes: string[]) =>
  (error: NodeJS.ErrnoException) => {
    if (!codes.includes(error.code!)) throw error;
  };

async function runBuild(folder: string, output: string): Promise<void> {
  const child = spawn('npm', ['run', '--silent', 'build', '--', '--outDir', output, '--emptyOutDir'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Windows needs a shell because npm is a .cmd file there; the arguments are constants.
    shell: process.platform === 'win32',
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`The build of ${folder.slice(root.length + 1)} failed:\n${text.trim()}`);
}

const compressible = /\.(?:js|css|html|svg|json|webmanifest)$/;
/** Bytes below which compression saves nothing. */
const SMALLEST = 1_024;
const formats = { br: promisify(brotliCompress), gz: promisify(gzip) };

/** Write compressed copies beside the files of a build, so that no request waits for compression. */
export async function compressFiles(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => compressible.test(file));
  for (const file of files) {
    const path = join(folder, file);
    const content = await readFile(path);
    if (content.length < SMALLEST) continue;
    const copies = Object.entries(formats).map(async ([ending, compress]) =>
      writeFile(`${path}.${ending}`, await compress(content)),
    );
    await Promise.all(copies);
  }
}

/** Folders without sources, and hidden ones. */
const excluded = /^(?:dist|node_modules|\..*)$/;
/** Every build depends on these too, and on the folder of shared modules. */
const files = [join(web, 'tsconfig.json'), join(root, 'schema', 'api.graphql'), join(root, 'package-lock.json')];
const shared = join(web, 'shared');

/** A hash of everything that the build of a page depends on. */
async function fingerprintOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of [...files, ...(await filesIn(shared)), ...(await filesIn(folder))])
    hash.update(`${file.slice(root.length)}\0`).update(await readFile(file));
  return hash.digest('hex');
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => !excluded.test(name));
  const found = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path) : [path];
    }),
  );
  return found.flat().sort();
}

/** Where the builds of the pages are. */
export const pageFiles: PageFiles = {
  dashboard: join(web, 'dashboard', 'dist'),
  widget: join(web, 'widget', 'dist', 'widget.js'),
};
