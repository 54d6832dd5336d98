import { installTools } from './tools.ts';

/** Installs the tools that the tests of the chart need. Without them those tests are skipped. */
const tools = await installTools((text) => process.stderr.write(`${text}\n`));
process.stderr.write(tools ? 'The tools for the chart are installed\n' : 'The tests of the chart are skipped\n');
