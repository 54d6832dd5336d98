import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Admit, Requirement } from '../schema/request.ts';
import { type AdmissionOptions, admitRequest, anonymousBodyFault } from '../server/admission.ts';
import { refuse } from './answer.ts';
import type { Route } from './route.ts';
import { keySchemes, type Surface } from './surface.ts';

export interface Gate extends AdmissionOptions {
  admit: Admit;
}

/** Admits the callers of a route, and answers a refusal in the form of its surface. */
export function door(gate: Gate, surface: Surface, requirement: Requirement, route?: Route): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const refusal = await admitRequest(gate, request, reply, forwardedHeaders(request, surface), requirement);
    if (refusal) return refuse(reply, errorOf(refusal), surface, route?.row.statuses);
    // Other routes refuse a caller without a key.
    const message = requirement.access === 'public' ? anonymousBodyFault(request) : undefined;
    if (message) return refuse(reply, errorOf({ code: 'INVALID_INPUT', message }), surface, route?.row.statuses);
  };
}

const errorOf = ({ code, message }: { code: string; message: string }) => ({ message, extensions: { code } });

/** Only these headers: the path alone names the organization, and the server alone the client address. */
function forwardedHeaders(request: FastifyRequest, { keys, organization }: Surface): Record<string, string> {
  const headers: Record<string, string> = { 'x-client-address': request.ip };
  for (const scheme of keys) {
    const { header } = keySchemes[scheme];
    const value = request.headers[header];
    if (typeof value === 'string') headers[header] = value;
  }
  if (request.headers.origin !== undefined) headers.origin = request.headers.origin;
  if (organization) {
    // An unreadable path has neither params nor query.
    const source = ((organization === 'path' ? request.params : request.query) ?? {}) as Record<string, unknown>;
    // Encode the value because headers carry ASCII only; ids and slugs are unchanged by it.
    // An empty path segment names no organization and must not select the organization of the key.
    if (source.organization || organization === 'path') headers['x-organization'] = encodeURIComponent(String(source.organization));
  }
  return headers;
}
