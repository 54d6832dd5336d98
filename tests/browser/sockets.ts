import type { Page, WebSocketRoute } from 'playwright-core';

/** Breaks the WebSockets that a page opens after its next navigation, and refuses new ones until they are mended. */
export async function breakerOf(page: Page) {
  const sockets = new Set<WebSocketRoute>();
  let isBroken = false;
  await page.routeWebSocket(/\/graphql$/, (socket) => {
    if (isBroken) return void socket.close({ code: 1012 });
    sockets.add(socket).add(socket.connectToServer());
  });
  return {
    async break() {
      isBroken = true;
      await Promise.all([...sockets].map((socket) => socket.close({ code: 1012 })));
      sockets.clear();
    },
    mend() {
      isBroken = false;
    },
  };
}
