/** The URL of a WebSocket, whose path may be relative to the API. */
export function socketUrl(url: string, base: string): string {
  const absolute = new URL(url, base);
  absolute.protocol = absolute.protocol.replace('http', 'ws');
  return absolute.href;
}
