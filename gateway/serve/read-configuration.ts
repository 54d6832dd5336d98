import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { isAddress } from '../supergraph/supergraph-at.ts';
import { type Configuration, ConfigurationFault, checkConfiguration } from './server-configuration.ts';

interface Overrides {
  supergraph?: string;
  host?: string;
  port?: string;
  /** Address of the registry. */
  database?: string;
}

/**
 * Read a configuration file, YAML or JSON. Paths in it are relative to its folder, and `${NAME}` in a text is a variable of the environment.
 * Throws `ConfigurationFault`.
 * @param overrides settings of the command line
 */
export async function readConfiguration(file: string | undefined, overrides: Overrides = {}): Promise<Configuration> {
  const { supergraph, host, port, database } = overrides;
  const given = file === undefined ? {} : await readSettings(file);
  const server = { ...(host !== undefined && { host }), ...(port !== undefined && { port: Number(port) }) };
  const merged = {
    ...given,
    ...(supergraph !== undefined && { supergraph: { ...sectionIn(given, 'supergraph'), source: supergraph } }),
    ...(database !== undefined && { registry: { ...sectionIn(given, 'registry'), database } }),
    ...(Object.keys(server).length > 0 && { server: { ...sectionIn(given, 'server'), ...server } }),
  };
  const configuration = checkConfiguration(merged);
  return file === undefined ? configuration : relativeTo(dirname(file), configuration, supergraph !== undefined);
}

type Settings = Record<string, unknown>;

const sectionIn = (given: Settings, name: string): Settings | undefined =>
  typeof given[name] === 'object' && given[name] !== null ? (given[name] as Settings) : undefined;

async function readSettings(file: string): Promise<Settings> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationFault([`${file} ${error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.message}`}`]);
  });
  const document = parseDocument(text);
  if (document.errors.length > 0)
    throw new ConfigurationFault(document.errors.map(({ message }) => `${file}: ${message.split('\n')[0]}`));
  const missing = new Set<string>();
  const settings = withVariables(document.toJS({ maxAliasCount: 100 }), missing);
  if (missing.size > 0) {
    throw new ConfigurationFault([...missing].map((name) => `${file} uses \${${name}}, but the environment has no ${name}`));
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    throw new ConfigurationFault([`${file} must have settings by name`]);
  }
  return settings as Settings;
}

/** Replace `${NAME}` in texts. A variable cannot add settings, because its value stays one text. */
function withVariables(value: unknown, missing: Set<string>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
      if (process.env[name] === undefined) missing.add(name);
      return process.env[name] ?? '';
    });
  }
  if (Array.isArray(value)) return value.map((each) => withVariables(each, missing));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withVariables(each, missing)]));
}

function relativeTo(folder: string, configuration: Configuration, isSupergraphOverridden: boolean): Configuration {
  const at = (path: string) => resolve(folder, path);
  const { supergraph, server, documents, jwt, plugins } = configuration;
  const { source } = supergraph;
  const isFile = source !== undefined && !isSupergraphOverridden && !isAddress(source);
  return {
    ...configuration,
    supergraph: isFile ? { ...supergraph, source: at(source) } : supergraph,
    server: server.tls ? { ...server, tls: { cert: at(server.tls.cert), key: at(server.tls.key) } } : server,
    documents: { ...documents, manifests: documents.manifests.map(at) },
    jwt: jwt && {
      ...jwt,
      issuers: jwt.issuers.map((each) => (typeof each.jwks === 'string' ? each : { ...each, jwks: { file: at(each.jwks.file) } })),
    },
    plugins: plugins.map((each) => {
      const { module, ...rest } = typeof each === 'string' ? { module: each, options: undefined } : each;
      return { module: /^\.{0,2}\//.test(module) ? at(module) : module, ...rest };
    }),
  };
}
