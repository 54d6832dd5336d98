export interface Lanes {
  /** Resolves when no lane runs, and rejects when a step fails. */
  ended: Promise<void>;
  /** Opens lanes until there are `width()`. Those without work end immediately. */
  open(): void;
}

/** Repeats `step` in `width()` concurrent lanes. The width may change meanwhile. A lane ends when its step returns false. */
export function openLanes(width: () => number, step: () => Promise<boolean>): Lanes {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let count = 0;

  const open = () => {
    while (count < width()) {
      count += 1;
      lane().catch(reject);
    }
  };
  const lane = async () => {
    try {
      while (count <= width() && (await step())) open();
    } finally {
      count -= 1;
      if (count === 0) resolve();
    }
  };
  open();
  if (count === 0) resolve();
  return { ended, open };
}
