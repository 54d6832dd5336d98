import { parentPort } from 'node:worker_threads';
import { type Answer, type TaskName, tasks } from './tasks.ts';
import { ToolFault } from './templates.ts';

const answer = (id: number, name: TaskName, input: never): Answer => {
  try {
    return { id, result: tasks[name](input) };
  } catch (error) {
    if (error instanceof ToolFault) return { id, fault: error.message };
    return { id, error: (error as Error).stack ?? String(error) };
  }
};

parentPort?.on('message', ({ id, name, input }: { id: number; name: TaskName; input: never }) => {
  parentPort?.postMessage(answer(id, name, input));
});
// Compiles the schema of schemas now, because the time of the first task starts with the next message.
tasks.checkSchema({ schema: {} });
parentPort?.postMessage('ready');
