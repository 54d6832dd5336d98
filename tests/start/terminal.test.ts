import { jest } from '@jest/globals';
import type { ListrTask } from 'listr2';
import { LINE_MS, printSteps, withSignsOfLife } from '../../start/process/terminal.ts';
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

test('without a terminal, a step of three minutes prints a line when it begins and one every 15 seconds', () => {
  jest.useFakeTimers();
  try {
    const lines: string[] = [];
    const { onStep, end } = printSteps((line) => lines.push(line));
    onStep('Downloading');
    jest.advanceTimersByTime(LINE_MS - 1);
    onStep('Building');
    jest.advanceTimersByTime(180_000);
    end();
    jest.advanceTimersByTime(180_000);
    expect(lines.slice(0, 3)).toEqual(['Downloading', 'Building', '… Building (15 s)']);
    expect(lines).toHaveLength(14);
  } finally {
    jest.useRealTimers();
  }
});
