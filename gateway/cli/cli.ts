#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { type Command, print } from './command-line.ts';

/** The commands by name. Each loads only what it needs. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serving-commands.ts')).serveCommand,
  'check-config': async () => (await import('./serving-commands.ts')).checkConfigCommand,
  'config-schema': async () => (await import('./serving-commands.ts')).configSchemaCommand,
  publish: async () => (await import('./publishing-commands.ts')).publishCommand,
  'check-schema': async () => (await import('./publishing-commands.ts')).checkSchemaCommand,
  restore: async () => (await import('./publishing-commands.ts')).restoreCommand,
  history: async () => (await import('./reading-commands.ts')).historyCommand,
  diff: async () => (await import('./reading-commands.ts')).diffCommand,
  usage: async () => (await import('./reading-commands.ts')).usageCommand,
};

const USAGE = `compiled-gateway COMMAND …   (COMMAND --help explains one)

  serve          serve a supergraph
  check-config   check the configuration of serve and start nothing
  config-schema  print the JSON schema of the configuration

These need PostgreSQL, by --database or the variable DATABASE_URL:

  publish        publish subgraphs or a supergraph as the next version
  check-schema   judge a change by the operations that clients sent
  restore        publish an earlier version again
  history        list the published versions
  diff           show what two versions differ in
  usage          list the parts of the schema, or the operations, with their use
`;

const help = { type: 'boolean', short: 'h' } as const;

async function main([name = '', ...args]: string[]): Promise<void> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    print(USAGE);
    process.exitCode = ['--help', '-h', 'help'].includes(name) ? 0 : 2;
    return;
  }
  const { usage, options, run } = await load();
  const { values, positionals } = parseArgs({ args, options: { ...options, help }, allowPositionals: true });
  if (values.help) return print(usage);
  await run(values, positionals);
}

main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.message || String(error)}\n`);
  process.exit(1);
});
