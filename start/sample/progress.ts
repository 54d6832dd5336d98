import { SingleBar } from 'cli-progress';
import { isInteractive, LINE_MS } from '../process/terminal.ts';

export interface Progress {
  update(done: number, failed: number, latest: string): void;
  stop(): void;
}

/** Show the progress of a job: a bar in a terminal, and otherwise a line at most every 15 seconds. */
export function showProgress(title: string, total: number): Progress {
  return isInteractive ? bar(title, total) : lines(title, total);
}

function bar(title: string, total: number): Progress {
  const single = new SingleBar({
    format: `  ${title} {bar} {value}/{total} products, {failed} failed  {latest}`,
    hideCursor: true,
    stream: process.stdout,
  });
  single.start(total, 0, { failed: 0, latest: '' });
  return {
    update: (done, failed, latest) => single.update(done, { failed, latest }),
    stop() {
      single.update({ latest: '' });
      single.stop();
    },
  };
}

function lines(title: string, total: number): Progress {
  let printedAt = 0;
  let line = '';
  const print = () => {
    process.stdout.write(`  ${title} ${line}\n`);
    printedAt = Date.now();
  };
  return {
    update(done, failed) {
      line = `${done}/${total} products, ${failed} failed`;
      if (Date.now() - printedAt >= LINE_MS) print();
    },
    stop: print,
  };
}
