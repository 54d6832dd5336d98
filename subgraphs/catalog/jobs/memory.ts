import { ByteBudget, type Reservation } from '../../../platform/database/index.ts';

const MB = 1024 * 1024;

/** Budgets of the process. An item takes texts first, so items that wait for images or pages cannot block each other. */
const budgets = {
  /** The readable texts of pages. */
  texts: new ByteBudget(128 * MB),
  /** Images, and pages while they are read. */
  contents: new ByteBudget(384 * MB),
};

/** Bytes of images in requests to the model. Base64 is larger by a third, and a request has it in its text and in its encoded body. */
export const imageMemory = (images: { bytes: number }[], requests: number): number =>
  images.reduce((sum, { bytes }) => sum + (bytes * 4 * (1 + 2 * requests)) / 3, 0);

/** The memory of one item. */
export class ItemMemory {
  readonly #held = new Map<keyof typeof budgets, Reservation>();

  constructor(
    private readonly organizationId: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Wait for memory, and hold it until the end of the item. Once per budget: an item that waits for more could block itself. */
  async hold(budget: keyof typeof budgets, bytes: number): Promise<Reservation> {
    if (this.#held.has(budget)) throw new Error(`An item holds its ${budget} once`);
    const reservation = await budgets[budget].reserve(this.organizationId, bytes, this.signal);
    this.#held.set(budget, reservation);
    return reservation;
  }

  /** Do work that needs memory of `contents` only while it runs. */
  async during<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.#held.has('contents')) throw new Error('An item that holds its contents cannot wait for more');
    const reservation = await budgets.contents.reserve(this.organizationId, bytes, this.signal);
    try {
      return await work();
    } finally {
      reservation.release();
    }
  }

  release(): void {
    for (const each of this.#held.values()) each.release();
  }
}
