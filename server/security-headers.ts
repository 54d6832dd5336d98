import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** Of what helmet says, the part that browsers of today heed. Every answer carries it, so it is kept short. */
const heeded = [
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
];

/** What helmet tells browsers to be strict about. It says the same of every answer, so it is asked once. */
export function securityHeaders(): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const recorder = {
    setHeader(name: string, value: string) {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  const strict = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  });
  strict({} as IncomingMessage, recorder as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return Object.fromEntries(heeded.map((name) => [name, headers[name]!]));
}
