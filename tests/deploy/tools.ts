import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../start/servers/folders.ts';
import { lastLines, run } from '../../start/servers/processes.ts';

const HELM = 'v3.19.2';
/** Carries the JSON schemas of the Kubernetes API. */
const VALIDATE = '1.37.0';
export const KUBERNETES = '1.34';

export interface Tools {
  helm: string;
  validate: string;
}

const helmFolder = () => join(cacheFolder(), 'helm');
const environment = () => join(cacheFolder(), `kubernetes-validate-${VALIDATE}`);

const works = async (program: string, ...args: string[]) => ((await run(program, args)).code === 0 ? program : undefined);

/** Helm on the PATH or in the cache, and the validator in the cache; undefined if one is missing. */
export async function findTools(): Promise<Tools | undefined> {
  const helm = (await works('helm', 'version')) ?? (await works(join(helmFolder(), 'helm'), 'version'));
  const complete = await access(join(environment(), 'complete')).then(
    () => true,
    () => false,
  );
  return helm && complete ? { helm, validate: join(environment(), 'bin', 'kubernetes-validate') } : undefined;
}

/** Install the missing tools into the cache folder: Helm with Go, which takes minutes, and the validator with pip. */
export async function installTools(note: (text: string) => void): Promise<Tools | undefined> {
  const found = await findTools();
  if (found) return found;
  note('Installing Helm and the Kubernetes schemas (some minutes, once)');
  const python = environment();
  const steps: [string, string[], Record<string, string>?][] = [
    ['python3', ['-m', 'venv', '--clear', python]],
    [join(python, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', `kubernetes-validate==${VALIDATE}`]],
    [process.execPath, ['-e', `require('node:fs').writeFileSync(process.argv[1], '')`, join(python, 'complete')]],
  ];
  if (!(await works('helm', 'version')) && !(await works(join(helmFolder(), 'helm'), 'version')))
    steps.push(['go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM}`], { GOBIN: helmFolder(), GOFLAGS: '' }]);
  for (const [command, args, env] of steps) {
    const { code, output } = await run(command, args, { env: { ...process.env, ...env }, timeoutMs: 20 * 60_000 });
    if (code !== 0) return void note(`${command} failed: ${lastLines(output, 1)}`);
  }
  return findTools();
}
