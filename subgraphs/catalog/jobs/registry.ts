import type { Word } from '../../../schema/words.ts';
import type { JobKind } from './kind.ts';

type Name = Word<'JobKind'>;

const registry = new Map<string, JobKind>();

/** Registers all job kinds. Called once from `kinds.ts`, so that `jobs/` imports no feature. */
export function registerKinds(kinds: Record<Name, JobKind>): void {
  for (const [name, kind] of Object.entries(kinds)) registry.set(name, kind);
}

/** Throws if the kind is not registered. */
export function kindOf(name: Name): JobKind {
  const kind = registry.get(name);
  if (!kind) throw new Error(`There is no job kind ${name}`);
  return kind;
}
