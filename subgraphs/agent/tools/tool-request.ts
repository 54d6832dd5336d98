import { createHash } from 'node:crypto';
import type { OutboundRequest } from '../../../platform/outbound/index.ts';
import { isObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import type { Tool, ToolRequest } from './entity.ts';
import { isSensitiveName, Masker, maskedCredentials } from './masking.ts';
import {
  inHeader,
  inJson,
  inText,
  inUrl,
  inXml,
  MASK,
  type Place,
  type Rendered,
  render,
  secretsOf,
  ToolFault,
  type Values,
} from './templates.ts';

export type Templates = Pick<
  Tool,
  'endpointUrl' | 'method' | 'headersTemplate' | 'queryTemplate' | 'bodyTemplate' | 'allowedDomains' | 'timeoutMs'
>;

/** A request that is ready to send, and its masked form. */
export interface Resolved {
  url: string;
  request: OutboundRequest;
  masked: ToolRequest;
  masker: Masker;
  /** Differs for every other request. */
  hash: string;
}

/** Fill in the templates of a tool. Throws `ToolFault` if a value does not fit its place, or the host is not allowed. */
export function resolveRequest(tool: Templates, values: Values): Resolved {
  const headers = headersOf(tool, values);
  const body = bodyOf(tool, values);
  if (body?.type && !Object.keys(headers).some((name) => name.toLowerCase() === 'content-type'))
    headers['content-type'] = { text: body.type, masked: body.type };
  const url = urlOf(tool, values);
  requireAllowed(url.text, tool);

  const masker = new Masker([...values.secrets.values(), ...namedSecrets(headers, url.text), ...(body ? secretsInBody(body) : [])]);
  const shownUrl = masker.mask(maskPairsOfUrl(url.masked));
  const request = {
    method: tool.method,
    headers: mapValues(headers, ({ text }) => text),
    ...(body && { body: body.text }),
  };
  const masked = {
    method: tool.method,
    url: shownUrl,
    headers: mapValues(headers, (header, name) =>
      isSensitiveName(name) ? maskedCredentials(header.masked) : masker.mask(header.masked),
    ),
    query: Object.fromEntries(new URLSearchParams(queryOf(shownUrl))),
    body: body ? masker.mask(maskBody(body)) : null,
  };
  return { url: url.text, request, masked, masker, hash: hashOf([tool.method, url.text, request.headers, body?.text ?? null]) };
}

/** A hash of a request. */
export const hashOf = (request: unknown[]): string => createHash('sha256').update(JSON.stringify(request)).digest('hex');

const mapValues = <T, R>(object: Record<string, T>, map: (value: T, name: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));

/** Render header values. Also used for the headers of MCP servers. */
export const headersOf = ({ headersTemplate }: Pick<Templates, 'headersTemplate'>, values: Values): Record<string, Rendered> =>
  mapValues(headersTemplate, (template) => render(template, values, inHeader));

/** Shorter values of sensitive names are often ordinary words. */
const isSecretValue = (value: string): boolean => value.length >= 8;

/** The values of sensitive names in headers and in the query, such as those that owners wrote into a template. */
export function namedSecrets(headers: Record<string, Rendered>, url: string): string[] {
  const named = [...Object.entries(mapValues(headers, ({ text }) => text)), ...new URLSearchParams(queryOf(url))];
  return named.flatMap(([name, value]) =>
    isSensitiveName(name) ? [value, ...value.split(' ').slice(1)].filter(isSecretValue) : [],
  );
}

function urlOf({ endpointUrl, queryTemplate }: Templates, values: Values): Rendered {
  const [, authority = '', path = '', query = ''] = /^([^/]*\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?/.exec(endpointUrl) ?? [];
  const rendered = [
    render(authority, values, inUrl),
    ...(path || '/').split('/').map((segment, index) => withPrefix(index === 0 ? '' : '/', segmentOf(segment, values))),
  ];
  const pairs = Object.entries(queryTemplate).map(([name, template]) =>
    withPrefix(`${encodeURIComponent(name)}=`, render(queryValue(template), values, inUrl)),
  );
  if (query !== '') pairs.unshift(render(query, values, inUrl));
  return joined([...rendered, ...pairs.map((pair, index) => withPrefix(index === 0 ? '?' : '&', pair))]);
}

/** Literal text of a query template is encoded, too; placeholders are encoded when they are rendered. */
const queryValue = (template: string): string =>
  template
    .split(/(\{\{[^{}]*\}\})/)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part)))
    .join('');

/** Render a path segment. A value must not become `.` or `..`, which would select another path. */
function segmentOf(template: string, values: Values): Rendered {
  const rendered = render(template, values, inUrl);
  if (template.includes('{{') && /^(\.|%2e){1,2}$/i.test(rendered.text))
    throw new ToolFault('A parameter in the path of the URL must not be "." or "..".');
  return rendered;
}

const withPrefix = (prefix: string, { text, masked }: Rendered): Rendered => ({ text: prefix + text, masked: prefix + masked });

const joined = (parts: Rendered[]): Rendered => ({
  text: parts.map(({ text }) => text).join(''),
  masked: parts.map(({ masked }) => masked).join(''),
});

function requireAllowed(url: string, tool: Templates): void {
  const hostname = URL.parse(url)?.hostname;
  if (!hostname) throw new ToolFault('The URL of the request is not valid.');
  if (!isAllowedHost(hostname, domainsOf(tool)))
    throw new ToolFault(`The host ${truncate(hostname, 254)} is not in the allowed domains of the tool.`);
}

const queryOf = (url: string): string => /\?(.*)$/s.exec(url)?.[1] ?? '';

const maskPairsOfUrl = (url: string): string => url.replace(/\?(.*)$/s, (_, query: string) => `?${maskPairs(query)}`);

/** Mask the values of sensitive names in a query or a form. */
const maskPairs = (pairs: string): string =>
  pairs
    .split('&')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return value.length > 0 && isSensitiveName(name) ? `${name}=${MASK}` : pair;
    })
    .join('&');

interface Body extends Rendered {
  type?: string;
  kind: BodyKind;
}

function bodyOf({ method, bodyTemplate, headersTemplate }: Templates, values: Values): Body | undefined {
  if (method === 'GET' || bodyTemplate === '') return undefined;
  if (bodyTemplate === null) {
    if (method === 'DELETE') return undefined;
    const text = JSON.stringify(values.params);
    return { text, masked: text, kind: 'json', type: 'application/json' };
  }
  const kind = bodyKind(bodyTemplate, headersTemplate);
  return { ...render(bodyTemplate, values, places[kind]), kind, type: types[kind] };
}

export type BodyKind = 'json' | 'form' | 'xml' | 'text';

const places: Record<BodyKind, Place> = { json: inJson, form: inUrl, xml: inXml, text: inText };
const types: Partial<Record<BodyKind, string>> = { json: 'application/json', text: 'text/plain; charset=utf-8' };

/** The syntax of a body, by its content type, or else by its form. */
export function bodyKind(bodyTemplate: string, headersTemplate: Record<string, string>): BodyKind {
  const [, type] = Object.entries(headersTemplate).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  if (type === undefined) return isJsonTemplate(bodyTemplate) ? 'json' : 'text';
  const essence = type.split(';')[0]!.trim().toLowerCase();
  if (/^application\/([\w.-]+\+)?json$/.test(essence)) return 'json';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  return /^(application|text)\/([\w.-]+\+)?xml$|^text\/html$/.test(essence) ? 'xml' : 'text';
}

/** Whether a template becomes JSON when its placeholders are filled in. */
export function isJsonTemplate(template: string): boolean {
  const secrets = new Map(secretsOf([template]).map((name) => [name, '']));
  try {
    JSON.parse(render(template.replace(/\{\{\s*visitor\.[^{}]*\}\}/g, '{{params.x}}'), { params: {}, secrets }, inJson).text);
    return true;
  } catch {
    return false;
  }
}

function maskBody({ masked, kind }: Body): string {
  if (kind === 'form') return maskPairs(masked);
  return kind === 'json' ? maskJson(masked) : masked;
}

/** Mask the values of sensitive keys in JSON text. Other text stays as it is. */
export function maskJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const shown = maskKeys(value);
    return shown === value ? text : JSON.stringify(shown);
  } catch {
    return text;
  }
}

/** The values of sensitive names in a body. */
function secretsInBody({ text, kind }: Body): string[] {
  if (kind === 'form')
    return [...new URLSearchParams(text)].flatMap(([name, value]) =>
      isSensitiveName(name) && isSecretValue(value) ? [value] : [],
    );
  if (kind !== 'json') return [];
  const values: string[] = [];
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (isSensitiveName(key) && isMaskable(value) && isSecretValue(String(value))) values.push(String(value));
      return value;
    });
  } catch {
    // Text that is not JSON has no keys.
  }
  return values;
}

const isMaskable = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

/** Mask the values of sensitive keys. Returns the same value if there is none. */
function maskKeys(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(maskKeys);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => {
    return [key, isSensitiveName(key) && isMaskable(each) ? MASK : maskKeys(each)] as const;
  });
  return entries.every(([key, each]) => each === value[key]) ? value : Object.fromEntries(entries);
}

/** The host of a URL template; undefined if it depends on a parameter or the URL is not valid. */
export function fixedHost(endpointUrl: string): string | undefined {
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(endpointUrl) ?? [];
  if (!authority || authority.includes('{{')) return undefined;
  return URL.parse(`https://${authority}`)?.hostname || undefined;
}

/** The canonical form of an entry: a host, or a dot and a host for its subdomains. Undefined if it is neither. */
export function canonicalDomain(entry: string): string | undefined {
  const dot = entry.startsWith('.') ? '.' : '';
  const host = entry.slice(dot.length);
  if (host === '' || /[/?#@\\:%\s]/.test(host.replace(/^\[[0-9a-f:.]+\]$/i, ''))) return undefined;
  const hostname = URL.parse(`https://${host}`)?.hostname;
  return hostname && !hostname.endsWith('.') ? dot + hostname : undefined;
}

/** Whether a host is an entry, or a subdomain of an entry that starts with a dot. */
export const isAllowedHost = (hostname: string, domains: readonly string[]): boolean =>
  domains.some((entry) =>
    entry.startsWith('.') ? hostname.endsWith(entry) && hostname.length > entry.length : hostname === entry,
  );

/** The hosts that a tool may call. */
export function domainsOf({ allowedDomains, endpointUrl }: { allowedDomains: string[]; endpointUrl: string }): string[] {
  if (allowedDomains.length > 0) return allowedDomains;
  const host = fixedHost(endpointUrl);
  return host === undefined ? [] : [host];
}
