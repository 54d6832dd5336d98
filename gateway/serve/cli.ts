#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readConfiguration } from './read-configuration.ts';
import { serve } from './serve.ts';
import { ConfigurationFault, configurationSchema, warningsIn } from './server-configuration.ts';

const USAGE = `compiled-gateway serve   Serve a supergraph
  --supergraph FILE|URL   the composed supergraph
  --config FILE           configuration, YAML or JSON
  --host ADDRESS  --port NUMBER
compiled-gateway check --config FILE   Check a configuration and start nothing
compiled-gateway schema                Print the JSON schema of the configuration
`;

const text = { type: 'string' } as const;
const options = { supergraph: text, config: text, host: text, port: text, help: { type: 'boolean', short: 'h' } } as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [command] = positionals;
  if (command === 'schema') return print(JSON.stringify(z.toJSONSchema(configurationSchema, { io: 'input' }), null, 2));
  if (values.help || (command !== 'serve' && command !== 'check')) {
    print(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const configuration = await readConfiguration(values.config, values);
  if (command === 'check') return print(['The configuration is valid.', ...warningsIn(configuration)].join('\n'));
  const served = await serve(configuration);
  print(served.url);
  if (served.metricsUrl) print(served.metricsUrl);
  const stop = () => served.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

const print = (line: string): void => void writeSync(1, line.endsWith('\n') ? line : `${line}\n`);

main().catch((error: Error) => {
  const faults = error instanceof ConfigurationFault ? error.faults : [error.message];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exit(1);
});
