import { findPrograms, installPrograms } from './programs.ts';

/** Installs the programs that a cluster needs besides the dependencies of npm. */
const print = (text: string) => process.stderr.write(`${text}\n`);
try {
  await installPrograms(print);
  for (const [name, path] of Object.entries(await findPrograms())) print(`${name}: ${path}`);
} catch (error) {
  print((error as Error).message);
  process.exitCode = 1;
}
