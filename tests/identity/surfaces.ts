import type { Answer } from '../support/client.ts';

type Organization = { slug: string };
type Headers = Record<string, string>;
type Refusal = { status: number; message: string };

/** Reasons why a key is rejected, and the organization in the request. */
export type Fault = 'missing' | 'malformed' | 'expired' | 'disabled' | 'unknown' | 'revoked' | 'stranger';

const unauthorized: Refusal = { status: 401, message: 'Invalid API Key' };
const forbidden: Refusal = { status: 403, message: 'Invalid API Key' };

const catalogRefusals: Record<Fault, Refusal> = {
  missing: { status: 401, message: 'Missing API Key' },
  malformed: unauthorized,
  expired: unauthorized,
  disabled: unauthorized,
  unknown: forbidden,
  revoked: forbidden,
  stranger: forbidden,
};
const anyBadKeyIs401 = { ...catalogRefusals, unknown: unauthorized, revoked: unauthorized };

export interface SurfaceCase {
  name: string;
  base: () => string;
  method: 'GET' | 'POST';
  path: (organization: Organization) => string;
  refusals: Partial<Record<Fault, Refusal>>;
  failure: (refusal: Refusal, body: Answer['body']) => unknown;
  /** Headers that may contain the key. */
  headers: ('x-api-key' | 'authorization')[];
}

const main = () => process.env.TEST_URL!;
const flat: SurfaceCase['failure'] = ({ message }) => ({ success: false, message });
const { stranger: _, ...withoutOrganization } = catalogRefusals;

/** One route of each API with a key, and its documented errors. */
export const surfaces: SurfaceCase[] = [
  {
    name: 'catalog',
    base: main,
    method: 'POST',
    path: ({ slug }) => `/api/${slug}/products/get`,
    refusals: catalogRefusals,
    failure: flat,
    headers: ['x-api-key', 'authorization'],
  },
  {
    name: 'organizations',
    base: main,
    method: 'GET',
    path: () => '/api/organizations/get',
    refusals: withoutOrganization,
    failure: flat,
    headers: ['x-api-key', 'authorization'],
  },
  {
    name: 'admin',
    base: main,
    method: 'GET',
    path: ({ slug }) => `/api/${slug}/agents`,
    refusals: catalogRefusals,
    failure: flat,
    headers: ['x-api-key', 'authorization'],
  },
  {
    name: 'integration',
    base: main,
    method: 'GET',
    path: ({ slug }) => `/api/v1/agents?organization=${slug}`,
    refusals: anyBadKeyIs401,
    failure: ({ status, message }) => ({ error: { message, status } }),
    headers: ['x-api-key', 'authorization'],
  },
  {
    name: 'site-content',
    base: () => process.env.TEST_SITE_URL!,
    method: 'GET',
    path: () => '/api/v1/sites',
    refusals: anyBadKeyIs401,
    failure: ({ message }) => ({ ok: false, error: { code: expect.any(String), message } }),
    headers: ['authorization'],
  },
];

/** Call an API with a key in its preferred header. */
export async function ask(surface: SurfaceCase, organization: Organization, headers: Headers, body?: string): Promise<Answer> {
  const response = await fetch(surface.base() + surface.path(organization), {
    method: surface.method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
}

export const asHeader = (header: SurfaceCase['headers'][number], key: string): Headers => ({
  [header]: header === 'x-api-key' ? key : `Bearer ${key}`,
});
