import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/npm.ts';

export interface Instruction {
  name: string;
  value: string;
}

/** The stages of the Dockerfile of the product, each with its instructions in order. */
export function stages(): { image: string; name?: string; instructions: Instruction[] }[] {
  const text = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8').replace(/\\\n/g, ' ');
  const all = text.split('\n').flatMap((line) => {
    const [, name, value] = /^([A-Z]+)\s+(.+)$/.exec(line) ?? [];
    return name ? [{ name, value: value! }] : [];
  });
  const starts = all.flatMap(({ name }, at) => (name === 'FROM' ? [at] : []));
  return starts.map((start, nth) => {
    const [, image, name] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(all[start]!.value)!;
    return { image: image!, name, instructions: all.slice(start + 1, starts[nth + 1]) };
  });
}

/** The commands that a stage runs. */
export const commandsOf = (stage: string): string[] =>
  stages()
    .find(({ name }) => name === stage)!
    .instructions.flatMap(({ name, value }) => (name === 'RUN' ? [value] : []));

/** The words of an instruction in exec form. */
export const wordsOf = ({ value }: Instruction): string[] => JSON.parse(value.slice(value.indexOf('[')));
