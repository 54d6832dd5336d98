/** The exports of `@jest/globals` that the tests use. */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } = globalThis;
