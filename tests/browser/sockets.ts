import type { Page, WebSocketRoute } from 'playwright-core';

/** Breaks the WebSockets that a page opens after its next navigation, and refuses new ones until they are mended. */
export async function breakerOf(page: Page) {
  const sockets = new Set<WebSocketRoute>();
  let code: number | undefined;
  await page.routeWebSocket(/\/graphql$/, (socket) => {
    if (code) return void socket.close({ code });
    sockets.add(socket).add(socket.connectToServer());
  });
  return {
    /** The code closes the open sockets and the new ones. */
    async break(closeCode = 1012) {
      code = closeCode;
      await Promise.all([...sockets].map((socket) => socket.close({ code: closeCode })));
      sockets.clear();
    },
    mend() {
      code = undefined;
    },
  };
}

/** Ends a subscription of a page, in sockets that it opens after its next navigation, with a GraphQL error. */
export async function failSubscription(page: Page, operation: string, code: string) {
  const ends = new Set<(message: object) => void>();
  await page.routeWebSocket(/\/graphql$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      const { type, id, payload } = JSON.parse(String(message));
      if (type === 'subscribe' && payload.query.includes(operation)) {
        ends.add((end) => {
          server.send(JSON.stringify({ type: 'complete', id }));
          socket.send(JSON.stringify({ id, ...end }));
        });
      }
      server.send(message);
    });
  });
  const errors = [{ message: 'The graph has changed. Subscribe again.', extensions: { code } }];
  const endAll = (...messages: object[]) => {
    for (const end of ends) for (const message of messages) end(message);
    ends.clear();
  };
  return {
    isOpen: () => ends.size > 0,
    /** As the server does before the first event. */
    refuse: () => endAll({ type: 'error', payload: errors }),
    /** As the server does after events. */
    end: () => endAll({ type: 'next', payload: { data: null, errors } }, { type: 'complete' }),
  };
}

/** Holds the messages of the server for a subscription of a page until `release`. Call it before the page opens its socket. */
export async function holdSubscription(page: Page, operation: string) {
  const held: (() => void)[] = [];
  let isHeld = true;
  await page.routeWebSocket(/\/graphql$/, (socket) => {
    const ids = new Set<string>();
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      const { type, id, payload } = JSON.parse(String(message));
      if (type === 'subscribe' && payload.query.includes(operation)) ids.add(id);
      server.send(message);
    });
    server.onMessage((message) => {
      if (isHeld && ids.has(JSON.parse(String(message)).id)) held.push(() => socket.send(message));
      else socket.send(message);
    });
  });
  return {
    release() {
      isHeld = false;
      for (const send of held) send();
    },
  };
}
