import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../start/servers/processes.ts';
import type { Part } from './part.ts';

interface Options {
  parts: readonly Part[];
  /** Returns numbers from 0 to 1. */
  random: () => number;
  print: (text: string) => void;
}

/** Processes that may be down at the same time. */
const MAX_DOWN = 3;
/** Milliseconds between two kills, and until a killed process starts again. */
const PAUSE = 2_000;
const DOWN = 1_000;
const RETRY = 1_000;

/** Kills random processes and starts them again, like a supervisor. */
export class Killer {
  readonly #down = new Map<Part, Promise<void>>();
  /** Number of kills by kind. */
  readonly kills = new Map<string, number>();
  /** Kinds of processes that ended by themselves. */
  readonly exits = new Map<string, number>();

  constructor(private readonly options: Options) {}

  /** Kill a random process of a random kind, this many times, and wait until all processes run again. */
  async run(kills: number): Promise<void> {
    const { random, print } = this.options;
    for (let done = 0; done < kills; ) {
      await sleep(random() * PAUSE);
      this.#restartEnded();
      if (this.#down.size >= MAX_DOWN) continue;
      const part = this.#choose();
      if (!part) continue;
      done += 1;
      this.kills.set(part.kind, (this.kills.get(part.kind) ?? 0) + 1);
      if (done % 10 === 0) print(`${done} of ${kills} kills`);
      this.#track(part, async () => {
        await part.stop('SIGKILL');
        await sleep(random() * DOWN);
      });
    }
    while (this.#down.size > 0) await Promise.all(this.#down.values());
    this.#restartEnded();
    await Promise.all(this.#down.values());
  }

  /** Every kind is equally likely, however many processes it has. */
  #choose(): Part | undefined {
    const up = this.options.parts.filter((part) => !this.#down.has(part));
    const kinds = [...new Set(up.map(({ kind }) => kind))];
    const kind = kinds[Math.floor(this.options.random() * kinds.length)];
    const candidates = up.filter((part) => part.kind === kind);
    return candidates[Math.floor(this.options.random() * candidates.length)];
  }

  #restartEnded(): void {
    for (const part of this.options.parts) {
      if (this.#down.has(part) || part.pid === undefined || isAlive(part.pid)) continue;
      this.exits.set(part.kind, (this.exits.get(part.kind) ?? 0) + 1);
      this.#track(part, () => sleep(RETRY));
    }
  }

  #track(part: Part, end: () => Promise<void>): void {
    const work = async () => {
      await end();
      await this.#start(part);
      this.#down.delete(part);
    };
    this.#down.set(part, work());
  }

  /** A process may fail to start while another one that it needs is down. */
  async #start(part: Part): Promise<void> {
    for (;;) {
      try {
        return await part.start();
      } catch {
        await sleep(RETRY);
      }
    }
  }
}
