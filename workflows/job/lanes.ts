/** Repeats `step` in `width()` concurrent lanes, until a step returns false. The width may change meanwhile. */
export function runLanes(width: () => number, step: () => Promise<boolean>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let lanes = 0;
  let isEnding = false;

  const open = () => {
    while (!isEnding && lanes < width()) {
      lanes += 1;
      lane().catch(reject);
    }
  };
  const lane = async () => {
    try {
      while (lanes <= width()) {
        isEnding = !(await step()) || isEnding;
        if (isEnding) return;
        open();
      }
    } finally {
      lanes -= 1;
      if (lanes === 0) resolve();
    }
  };
  open();
  if (lanes === 0) resolve();
  return promise;
}
