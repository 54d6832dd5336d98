import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../start/servers/processes.ts';
import { type NetworkFaultName, networkFaultNames, networkFaults } from './network/faults.ts';
import type { Link } from './network/link.ts';
import type { Part } from './part.ts';

export const faultNames = ['kill', ...networkFaultNames] as const;
export type FaultName = 'kill' | NetworkFaultName;

interface Options {
  parts: readonly Part[];
  links: readonly Link[];
  /** Kinds of faults, each equally likely. */
  faults: readonly FaultName[];
  /** Returns numbers from 0 to 1. */
  random: () => number;
  /** Multiplies the duration of disturbances; default 1. */
  pace?: number;
  /** Called when a fault begins. */
  onFault: (description: string) => void;
}

/** Processes that may be down, and links that may be disturbed, at the same time. */
const MAX_DOWN = 3;
const MAX_DISTURBED = 3;
/** Longest pause between two faults, and until a killed process starts again, in milliseconds. */
const PAUSE = 2_000;
const DOWN = 1_000;
const RETRY = 1_000;

const increment = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

/** Kills random processes and starts them again, like a supervisor, and disturbs random connections. */
export class Injector {
  readonly #active = new Map<Part | Link, Promise<void>>();
  /** Number of faults by kind and target. */
  readonly faults = new Map<string, number>();
  /** Kinds of processes that ended by themselves, or did not become ready in time. */
  readonly exits = new Map<string, number>();

  constructor(private readonly options: Options) {}

  /** Inject random faults until there were this many or the signal aborts, and wait until everything works again. */
  async run(count: number, signal: AbortSignal, onProgress: (done: number) => void): Promise<void> {
    const { random, faults } = this.options;
    for (let done = 0; done < count && !signal.aborted; ) {
      await sleep(random() * PAUSE);
      this.#restartEnded();
      const name = faults[Math.floor(random() * faults.length)]!;
      if (!(name === 'kill' ? this.#kill() : this.#disturb(name))) continue;
      done += 1;
      onProgress(done);
    }
    while (this.#active.size > 0) await Promise.all(this.#active.values());
    this.#restartEnded();
    await Promise.all(this.#active.values());
  }

  #count(targets: readonly (Part | Link)[]): number {
    return targets.filter((each) => this.#active.has(each)).length;
  }

  #kill(): boolean {
    const { parts, random } = this.options;
    const part = this.#choose(parts, ({ kind }) => kind);
    const pause = random() * DOWN;
    if (!part || this.#count(parts) >= MAX_DOWN) return false;
    this.#begin(part, `kill ${part.name}`, `kill ${part.kind}`, async () => {
      await part.stop('SIGKILL');
      await sleep(pause);
      await this.#start(part);
    });
    return true;
  }

  #disturb(name: NetworkFaultName): boolean {
    const { links, random, pace = 1 } = this.options;
    const link = this.#choose(links, ({ from, to }) => `${from.replace(/-\d+$/, '')} ${to}`);
    const { seconds, begin } = networkFaults[name];
    const duration = 1_000 * pace * (seconds[0] + random() * (seconds[1] - seconds[0]));
    if (!link || this.#count(links) >= MAX_DISTURBED) return false;
    this.#begin(link, `${name} ${link.from} → ${link.to} for ${Math.round(duration)} ms`, `${name}`, async () => {
      await begin(link, random);
      await sleep(duration);
      await link.restore();
    });
    return true;
  }

  /** A random idle target. Every kind is equally likely, however many targets it has. */
  #choose<T extends Part | Link>(targets: readonly T[], kindOf: (target: T) => string): T | undefined {
    const { random } = this.options;
    const idle = targets.filter((each) => !this.#active.has(each));
    const kinds = [...new Set(idle.map(kindOf))];
    const kind = kinds[Math.floor(random() * kinds.length)];
    const candidates = idle.filter((each) => kindOf(each) === kind);
    return candidates[Math.floor(random() * candidates.length)];
  }

  #begin(target: Part | Link, description: string, kind: string, work: () => Promise<void>): void {
    increment(this.faults, kind);
    this.options.onFault(description);
    this.#track(target, work);
  }

  #restartEnded(): void {
    for (const part of this.options.parts) {
      if (this.#active.has(part) || part.pid === undefined || isAlive(part.pid)) continue;
      increment(this.exits, part.kind);
      this.options.onFault(`${part.name} ended by itself`);
      this.#track(part, async () => {
        await sleep(RETRY);
        await this.#start(part);
      });
    }
  }

  #track(target: Part | Link, work: () => Promise<void>): void {
    const tracked = work().finally(() => this.#active.delete(target));
    // `run` reports the error.
    tracked.catch(() => {});
    this.#active.set(target, tracked);
  }

  /** A process may fail to start while another one that it needs is down. */
  async #start(part: Part): Promise<void> {
    for (;;) {
      try {
        return await part.start();
      } catch (error) {
        this.options.onFault(`${part.name} did not start: ${(error as Error).message.slice(0, 2_000)}`);
        await sleep(RETRY);
      }
    }
  }
}
