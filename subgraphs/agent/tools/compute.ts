import { reader } from '../../../platform/reading/index.ts';
import type { FaultReason } from '../../../platform/reading/task.ts';
import { ContentFault } from '../../../platform/reading/task.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { ToolFault } from './templates.ts';
import type { tasks } from './tool-tasks.ts';

type TaskName = keyof typeof tasks;

const sentences: Partial<Record<FaultReason, string>> = {
  time: 'The work takes too long.',
  memory: 'The work takes too much memory.',
  busy: 'Too many calls run at once. Try again shortly.',
};

const run = reader<typeof tasks>('tools', new URL('./tool-tasks.ts', import.meta.url));

/**
 * Run a task in a thread. Throws `ToolFault` if the input is at fault, needs more than a second of processor time or too much memory, or
 * if too many other tasks wait.
 */
export async function compute<N extends TaskName>(
  { organizationId }: Pick<Scope, 'organizationId'>,
  name: N,
  input: Parameters<(typeof tasks)[N]>[0],
): Promise<Awaited<ReturnType<(typeof tasks)[N]>>> {
  try {
    return (await run(organizationId, name, input as never)) as never;
  } catch (error) {
    throw error instanceof ContentFault ? new ToolFault(sentences[error.reason] ?? error.message) : error;
  }
}
