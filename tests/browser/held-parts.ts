import type { Page } from 'playwright-core';

/**
 * Hold the parts of the next answer to a GraphQL operation that follow its first one, until they are released. Call it before the page is
 * loaded.
 */
export async function holdParts(page: Page, operation: string) {
  await page.addInitScript(holding, operation);
  return {
    /** Let the parts that the server has sent through. */
    release: () => page.evaluate(() => (globalThis as Held).release!(false)),
    /** Answer that the part failed. */
    fail: () => page.evaluate(() => (globalThis as Held).release!(true)),
  };
}

type Held = { release?(hasFailed: boolean): void };

/** Runs in the page. */
function holding(operation: string): void {
  const send = window.fetch;
  let isHeld = false;
  window.fetch = async (input, init) => {
    const response = await send(input, init);
    const isOurs = String(init?.body).includes(operation) && response.headers.get('content-type')?.startsWith('multipart/mixed');
    if (!isOurs || isHeld) return response;
    isHeld = true;
    const released = new Promise<boolean>((resolve) => {
      (globalThis as Held).release = resolve;
    });
    const text = await response.text();
    // The first part ends with the boundary before the next.
    const end = text.indexOf('\r\n---', text.indexOf('\r\n\r\n')) + '\r\n---'.length;
    const failure = { completed: [{ id: '0', errors: [{ message: 'No', path: [] }] }], hasNext: false };
    const failed = `\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(failure)}\r\n-----\r\n`;
    const body = new ReadableStream({
      async start(controller) {
        const write = (part: string) => controller.enqueue(new TextEncoder().encode(part));
        write(text.slice(0, end));
        write((await released) ? failed : text.slice(end));
        controller.close();
      },
    });
    return new Response(body, { headers: response.headers });
  };
}
