import { z } from 'zod';
import { readConfiguration } from '../serve/read-configuration.ts';
import { serve } from '../serve/serve.ts';
import { configurationSchema, warningsIn } from '../serve/server-configuration.ts';
import { type Command, print, textIn, type Values } from './command-line.ts';

const text = { type: 'string' } as const;
const options = { supergraph: text, config: text, host: text, port: text, database: text };

const configurationOf = (values: Values) =>
  readConfiguration(textIn(values, 'config'), {
    supergraph: textIn(values, 'supergraph'),
    host: textIn(values, 'host'),
    port: textIn(values, 'port'),
    database: textIn(values, 'database'),
  });

export const serveCommand: Command = {
  usage: `compiled-gateway serve   Serve a supergraph until SIGTERM or SIGINT; prints its address
  --supergraph FILE|URL   the composed supergraph (default: the newest one that was published in the registry)
  --database URL          PostgreSQL with the registry, which also counts the operations
  --config FILE           configuration, YAML or JSON
  --host ADDRESS  --port NUMBER
`,
  options,
  async run(values) {
    const served = await serve(await configurationOf(values));
    print(served.url);
    if (served.metricsUrl) print(served.metricsUrl);
    const stop = () => served.close().then(() => process.exit(0));
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
  },
};

export const checkConfigCommand: Command = {
  usage: `compiled-gateway check-config --config FILE   Name all faults of a configuration, and start nothing
`,
  options,
  async run(values) {
    print(['The configuration is valid.', ...warningsIn(await configurationOf(values))].join('\n'));
  },
};

export const configSchemaCommand: Command = {
  usage: `compiled-gateway config-schema   Print the JSON schema of the configuration
`,
  options: {},
  run: async () => print(JSON.stringify(z.toJSONSchema(configurationSchema, { io: 'input' }), null, 2)),
};
