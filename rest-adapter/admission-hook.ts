import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Admit, Requirement } from '../schema/request.ts';
import { SESSION_HEADER } from '../schema/request.ts';
import { type AdmissionOptions, admitRequest, anonymousBodyFault, pageOrigin } from '../server/request-admission.ts';
import type { ReadSession } from '../server/sign-in/cookies.ts';
import { refuse } from './answer/public-refusal.ts';
import type { Route } from './route.ts';
import { keySchemes, type Surface } from './surfaces.ts';

export interface AdmissionGate extends AdmissionOptions {
  admit: Admit;
  /** Reads the session of the dashboard, which may download and upload files. Without it, cookies do not count. */
  readSession?: ReadSession;
}

/** Create a hook that admits the requests of a route and sends refusals in the error format of its surface. */
export function admissionHook(
  gate: AdmissionGate,
  surface: Surface,
  requirement: Requirement,
  route?: Route,
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const headers = forwardedHeaders(request, surface);
    const session = acceptsSession(surface, route) ? gate.readSession?.(request) : undefined;
    if (session !== undefined) headers[SESSION_HEADER] = session;
    request.operation = route?.name;
    // A subscription that is resumed after a lost connection must not act twice.
    if (route?.row.stream) headers['x-request-id'] = request.id;
    const refusal = await admitRequest(gate, request, reply, headers, requirement);
    if (refusal?.code === 'NO_ACCESS') request.log.info(NO_ACCESS);
    if (refusal) return refuse(reply, errorOf(refusal), surface, route?.row.statuses);
    // All other routes have refused callers without a key.
    const message = requirement.access === 'public' ? anonymousBodyFault(request) : undefined;
    if (message) return refuse(reply, errorOf({ code: 'INVALID_INPUT', message }), surface, route?.row.statuses);
  };
}

/** The documented message is that of an invalid key, so that no caller learns which organizations exist. */
const NO_ACCESS = 'The key is valid, but its user is not a member of the organization, or no organization has this id or slug';

/** The dashboard downloads by links and uploads by forms. Everything else it does over GraphQL. */
const acceptsSession = ({ keys }: Surface, route: Route | undefined): boolean =>
  keys.length > 0 && route !== undefined && (route.row.reply === 'file' || route.row.files !== undefined);

const errorOf = ({ code, message }: { code: string; message: string }) => ({ message, extensions: { code } });

/** Select the headers for subgraphs. The organization comes only from the URL, and the client address only from the server. */
function forwardedHeaders(request: FastifyRequest, { keys, organization, visitorToken }: Surface): Record<string, string> {
  const headers: Record<string, string> = { 'x-client-address': request.ip };
  for (const scheme of keys) {
    const { header } = keySchemes[scheme];
    const value = request.headers[header];
    if (typeof value === 'string') headers[header] = value;
  }
  const token = visitorToken && request.headers[visitorToken.header];
  if (visitorToken && typeof token === 'string' && token !== '') headers[visitorToken.header] = token;
  const origin = pageOrigin(request);
  if (origin !== undefined) headers.origin = origin;
  if (organization) {
    // A malformed path has neither params nor query.
    const source = ((organization === 'path' ? request.params : request.query) ?? {}) as Record<string, unknown>;
    // Encode the value, because headers are ASCII. This does not change ids and slugs.
    // An empty path segment names no organization and must not select the organization of the key.
    if (source.organization || organization === 'path') headers['x-organization'] = encodeURIComponent(String(source.organization));
  }
  return headers;
}
