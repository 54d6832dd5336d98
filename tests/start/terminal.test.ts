import type { ListrTask } from 'listr2';
import { withSignsOfLife } from '../../start/process/terminal.ts';
import { until } from '../support/until.ts';

test('a long stage prints its current step again and again until it ends', async () => {
  const lines: string[] = [];
  const building = () => lines.filter((line) => line.startsWith('… Building the Temporal CLI ('));
  const stage: ListrTask = {
    title: 'Temporal',
    async task(_, task) {
      await until(() => lines.length > 0);
      task.output = 'Building the Temporal CLI';
      await until(() => building().length > 1);
    },
  };
  const [shown] = withSignsOfLife([stage], (line) => lines.push(line), 5);
  await shown!.task(undefined, { title: stage.title, output: undefined } as never);
  const printed = lines.length;
  expect(lines[0]).toBe('… Temporal (0 s)');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(lines).toHaveLength(printed);
});
