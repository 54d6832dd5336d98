import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Command, Option } from 'commander';
import { describeError } from './process/run.ts';
import { Api } from './sample/sample-client.ts';
import { type ImportOutcome, readDocument, requireDistinct, SiteImporter } from './site-import/importer.ts';

const command = new Command('import:site')
  .description('Import Markdown files with front matter as pages and posts of a site. A repeated import updates them.')
  .argument('<folder>', 'folder of .md files, read with its subfolders; files in `posts` or `blog` are posts')
  .requiredOption('--site <id>', 'id of the site')
  .addOption(new Option('--key <key>', 'API key of an owner or admin').env('CATALOG_KEY').makeOptionMandatory())
  .option('--url <address>', 'URL of the running system', 'http://127.0.0.1:4000')
  .parse();
const [folder] = command.args as [string];
const { site, key, url } = command.opts<{ site: string; key: string; url: string }>();

try {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.(md|markdown)$/i.test(entry.name))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
    .sort();
  // Read all files first, so that an invalid one fails before the site changes.
  const documents = await Promise.all(files.map(async (file) => readDocument(file, await readFile(join(folder, file), 'utf8'))));
  requireDistinct(documents);
  const importer = await SiteImporter.open(new Api(url.replace(/\/$/, ''), key), site);
  const counts: Record<ImportOutcome, number> = { created: 0, updated: 0, unchanged: 0 };
  const failures: string[] = [];
  const bar = new SingleBar({ format: '  Importing {bar} {value}/{total} files', hideCursor: true, noTTYOutput: true });
  bar.start(documents.length, 0);
  for (const document of documents) {
    await importer.write(document).then(
      (outcome) => {
        counts[outcome] += 1;
      },
      (error: unknown) => void failures.push(`${document.file}: ${describeError(error)}`),
    );
    bar.increment();
  }
  bar.stop();
  process.stdout.write(`\n${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged\n`);
  for (const failure of failures) process.stderr.write(`import:site: ${failure}\n`);
  if (failures.length > 0) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`import:site: ${describeError(error)}\n`);
  process.exitCode = 1;
}
