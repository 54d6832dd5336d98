import type { Page, Request } from 'playwright-core';

/** Whether a request runs the operation. */
export const runs = (operation: string) => (request: Request) => request.postData()?.includes(operation) ?? false;

/** Hold the first answer of the server to a GraphQL operation until it is released. */
export async function holdAnswer(page: Page, operation: string) {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  let count = 0;
  await page.route('/graphql', async (route) => {
    if (!runs(operation)(route.request())) return route.fallback();
    count += 1;
    if (count > 1) return route.fallback();
    const response = await route.fetch();
    held.resolve();
    await released.promise;
    // The page may have canceled the request.
    await route.fulfill({ response }).catch(() => {});
    answered.resolve();
  });
  return {
    /** Resolves when the server has answered. */
    held: held.promise,
    /** Resolves when the page has had the time to show the answer. */
    async release() {
      released.resolve();
      await answered.promise;
      await page.waitForTimeout(300);
    },
  };
}
