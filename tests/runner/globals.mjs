/** Replaces `@jest/globals`. Each test file imports its own copy. */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } =
  globalThis[Symbol.for('test globals')];
