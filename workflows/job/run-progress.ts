import type { ItemRef } from './activities.ts';

type Position = Pick<ItemRef, 'turn' | 'phase'>;

/** The items of one run of a job: which are in progress, how many have finished, and which stay open for a later run. */
export class RunProgress {
  /** Numbers of items in progress, by phase. */
  readonly #byPhase: number[] = [];
  readonly #turns = new Set<number>();
  #lastTurn: number;
  #firstOpen = Number.POSITIVE_INFINITY;
  #firstOpenPhase = Number.POSITIVE_INFINITY;

  /**
   * @param after turn of the last item before those that may be open
   * @param finished items that earlier runs have finished
   */
  constructor(
    after: number,
    public finished: number,
  ) {
    this.#lastTurn = after;
  }

  get inProgress(): number {
    return sum(this.#byPhase);
  }

  has({ turn }: Position): boolean {
    return this.#turns.has(turn);
  }

  begin({ turn, phase }: Position): void {
    this.#turns.add(turn);
    this.#lastTurn = Math.max(this.#lastTurn, turn);
    this.#byPhase[phase] = (this.#byPhase[phase] ?? 0) + 1;
  }

  /** @param isFinished false if the item stays open for a later run */
  end({ turn, phase }: Position, isFinished: boolean): void {
    this.#turns.delete(turn);
    this.#byPhase[phase]! -= 1;
    if (isFinished) this.finished += 1;
    else {
      this.#firstOpen = Math.min(this.#firstOpen, turn);
      this.#firstOpenPhase = Math.min(this.#firstOpenPhase, phase);
    }
  }

  /** Whether no item of an earlier phase is in progress. */
  isDue({ phase }: Position): boolean {
    return sum(this.#byPhase.slice(0, phase)) === 0;
  }

  /** Whether an item of an earlier phase stays open, so that this one must wait for a later run. */
  isBlocked({ phase }: Position): boolean {
    return phase > this.#firstOpenPhase;
  }

  /** The items that stayed open are read again in this run. */
  readAgain(): void {
    this.#firstOpenPhase = Number.POSITIVE_INFINITY;
  }

  /** The last turn before the items that the next run reads. Later phases must not run before an item that stays open. */
  get after(): number {
    return Math.min(this.#lastTurn, this.#firstOpen - 1);
  }
}

const sum = (counts: readonly number[]) => counts.reduce((all, each) => all + (each ?? 0), 0);
