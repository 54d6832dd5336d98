/** The request of a tool: its parameters as rows, and its reading from a cURL command or an OpenAPI document. */

const TYPES = ['string', 'number', 'integer', 'boolean'] as const;
export type ParameterType = (typeof TYPES)[number];

export interface ParameterRow {
  name: string;
  type: ParameterType;
  description: string;
  required: boolean;
}

export interface ToolRequest {
  name: string;
  description: string;
  method: string;
  endpointUrl: string;
  parameters: ParameterRow[];
  headers: Record<string, string>;
  query: Record<string, string>;
  body: string;
  /** Names of headers whose values look like secrets. They were replaced by placeholders. */
  secrets: string[];
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An object from text; undefined for other text, and null for an empty one. */
export function objectOf(text: string): Json | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The rows of a schema; undefined if rows cannot show all of it. */
export function rowsOf(schema: Json): ParameterRow[] | undefined {
  const { type, properties = {}, required = [], ...others } = schema;
  if (type !== 'object' || !isObject(properties) || !Array.isArray(required) || Object.keys(others).length > 0) return undefined;
  const rows = Object.entries(properties).map(([name, property]): ParameterRow | undefined => {
    if (!isObject(property)) return undefined;
    const { type: given, description = '', ...more } = property;
    const known = TYPES.find((each) => each === given);
    if (!known || typeof description !== 'string' || Object.keys(more).length > 0) return undefined;
    return { name, type: known, description, required: required.includes(name) };
  });
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

export function schemaOf(rows: readonly ParameterRow[]): Json {
  const named = rows.filter(({ name }) => name.trim() !== '');
  const required = named.filter((row) => row.required).map(({ name }) => name.trim());
  return {
    type: 'object',
    properties: Object.fromEntries(
      named.map(({ name, type, description }) => [name.trim(), { type, ...(description && { description }) }]),
    ),
    ...(required.length > 0 && { required }),
  };
}

/** Names and texts as rows; undefined if a value is no text. */
export function pairsOf(object: Json): { name: string; value: string }[] | undefined {
  const pairs = Object.entries(object);
  if (pairs.some(([, value]) => typeof value !== 'string')) return undefined;
  return pairs.map(([name, value]) => ({ name, value: String(value) }));
}

/** Headers whose values belong into secrets. */
const SECRET = /^(authorization|proxy-authorization|cookie|.*(api[-_]?key|token|secret).*)$/i;
const SCHEME = /^(Bearer|Basic|Token)\s/i;
/** Headers that the service sets itself, or that concern the program of the command. */
const IGNORED = /^(user-agent|accept-encoding|connection|host|content-length)$/i;

const secretName = (header: string): string =>
  /authorization/i.test(header)
    ? 'API_KEY'
    : header
        .toUpperCase()
        .replace(/[^A-Z0-9]+/g, '_')
        .replace(/^[^A-Z]+/, '') || 'API_KEY';

/** Letters, digits and underscores, as names of parameters and tools are. */
const plainName = (text: string): string =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 64);
const parameterName = (text: string): string => text.replace(/[^\w$-]+/g, '_');

/** A request from a cURL command. Its values of the query and of a flat JSON body become parameters. Undefined for another text. */
export function readCurl(text: string): ToolRequest | undefined {
  const [program, ...words] = wordsOf(text.trim());
  if (!program || !/(^|\/)curl(\.exe)?$/.test(program)) return undefined;
  const data: string[] = [];
  const headers: [string, string][] = [];
  let [method, url, isQuery] = ['', '', false];
  for (let at = 0; at < words.length; at += 1) {
    const [, joinedFlag, joinedValue] = /^(-[XHdu])(.+)$/.exec(words[at]!) ?? [];
    const [flag, assigned] = joinedFlag
      ? [joinedFlag, joinedValue]
      : words[at]!.startsWith('--')
        ? split(words[at]!, '=')
        : [words[at]!];
    const next = () => assigned ?? words[++at] ?? '';
    if (flag === '-X' || flag === '--request') method = next().toUpperCase();
    else if (flag === '-H' || flag === '--header') headers.push(split(next(), ':').map((part) => part!.trim()) as [string, string]);
    else if (/^(-d|--data|--data-raw|--data-binary|--data-ascii|--data-urlencode)$/.test(flag!)) data.push(next());
    else if (flag === '--json') {
      data.push(next());
      headers.push(['content-type', 'application/json']);
    } else if (flag === '-u' || flag === '--user') {
      next();
      headers.push(['authorization', 'Basic x']);
    } else if (flag === '-G' || flag === '--get') isQuery = true;
    else if (flag === '--url') url = next();
    else if (VALUED.test(flag!)) next();
    else if (!flag!.startsWith('-')) url ||= flag!;
  }
  if (url === '') return undefined;
  const address = URL.parse(/^https?:\/\//.test(url) ? url : `https://${url}`);
  if (!address) return undefined;
  const query = [...address.searchParams, ...(isQuery ? new URLSearchParams(data.join('&')) : [])];
  const body = isQuery ? '' : data.join('&');
  const parameters: ParameterRow[] = [];
  const placeholder = (name: string, value: unknown): string => {
    const plain = parameterName(name);
    const type = typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string';
    if (!parameters.some((row) => row.name === plain))
      parameters.push({ name: plain, type, description: value === '' ? '' : `Such as ${value}`, required: true });
    return `{{params.${plain}}}`;
  };
  const templates = Object.fromEntries(query.map(([name, value]) => [name, placeholder(name, value)]));
  const template = bodyTemplate(body, placeholder);
  const kept = headers.filter(([name = '', value]) => value !== undefined && !IGNORED.test(name));
  return {
    name: plainName(
      address.pathname
        .split('/')
        .filter((part) => /^[a-z-]+$/i.test(part))
        .at(-1) ?? address.hostname,
    ),
    description: '',
    method: method || (body === '' ? 'GET' : 'POST'),
    // `URL` would encode placeholders.
    endpointUrl: `${address.origin}${decodeURI(address.pathname)}`,
    parameters,
    ...withSecrets(kept),
    query: templates,
    body: template,
  };
}

/** Flags of cURL with a value that a tool does not need. */
const VALUED =
  /^(-A|--user-agent|-e|--referer|-o|--output|-m|--max-time|--connect-timeout|--retry|-x|--proxy|--cacert|--cert|--key|-b|--cookie|-c|--cookie-jar|-F|--form|-w|--write-out)$/;

const split = (text: string, mark: string): string[] => {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

/** The words of a command, as a POSIX shell reads them. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  const pattern = /\s*((?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s'"\\])+)/gy;
  for (const [, word] of text.replace(/\\\r?\n/g, ' ').matchAll(pattern))
    words.push(
      word!.replace(/\$?'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g, (_, single, double, escaped) =>
        single !== undefined ? single : double !== undefined ? double.replace(/\\(["\\$`])/g, '$1') : escaped,
      ),
    );
  return words;
}

function withSecrets(headers: readonly [string, string][]): Pick<ToolRequest, 'headers' | 'secrets'> {
  const secrets: string[] = [];
  const safe = headers.map(([name, value]) => {
    if (!SECRET.test(name)) return [name, value];
    secrets.push(secretName(name));
    return [name, `${SCHEME.exec(value)?.[0] ?? ''}{{secret:${secretName(name)}}}`];
  });
  return { headers: Object.fromEntries(safe), secrets };
}

/** The body with placeholders for its fields, if it is a flat JSON object; else as it is. */
function bodyTemplate(body: string, placeholder: (name: string, value: unknown) => string): string {
  try {
    const value: unknown = JSON.parse(body);
    if (!isObject(value) || Object.values(value).some((each) => typeof each === 'object')) return body;
    const fields = Object.entries(value).map(([name, each]) => fieldTemplate(name, typeof each, placeholder(name, each)));
    return `{ ${fields.join(', ')} }`;
  } catch {
    return body;
  }
}

const fieldTemplate = (name: string, type: string, mark: string): string =>
  `${JSON.stringify(name)}: ${type === 'string' ? `"${mark}"` : mark}`;

/** The operations of an OpenAPI 3 document in JSON, as requests; undefined for another text. */
export function readOpenApi(text: string): { label: string; request: ToolRequest }[] | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(document) || !isObject(document.paths)) return undefined;
  const root = document;
  const resolve = (value: unknown, depth = 0): Json => {
    if (!isObject(value)) return {};
    if (typeof value.$ref !== 'string' || depth > 10) return value;
    const found = value.$ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), root);
    return resolve(found, depth + 1);
  };
  const [server] = Array.isArray(root.servers) ? root.servers : [];
  const base = textOf(isObject(server) && server.url).replace(/\/$/, '');
  return Object.entries(root.paths as Json).flatMap(([path, item]) =>
    Object.entries(resolve(item))
      .filter(([method]) => /^(get|post|put|patch|delete)$/.test(method))
      .map(([method, given]) => {
        const operation = resolve(given);
        const shared = resolve(item).parameters;
        const request = requestOf({ method, path, base, operation, shared: Array.isArray(shared) ? shared : [] }, resolve);
        return { label: `${method.toUpperCase()} ${path}`, request };
      }),
  );
}

interface Operation {
  method: string;
  path: string;
  base: string;
  operation: Json;
  shared: unknown[];
}

function requestOf({ method, path, base, operation, shared }: Operation, resolve: (value: unknown) => Json): ToolRequest {
  const own = Array.isArray(operation.parameters) ? operation.parameters : [];
  const given = [...shared, ...own].map((each) => resolve(each)).filter((each) => each.in !== 'cookie');
  const body = resolve(operation.requestBody);
  const schema = resolve(resolve(resolve(body.content)['application/json']).schema);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(resolve(schema.properties)).map(([name, each]) => ({ name, property: resolve(each) }));
  const flat = fields.filter(({ property }) => TYPES.some((type) => type === property.type));
  const row = (name: string, property: Json, description: string, isRequired: boolean): ParameterRow => ({
    name: parameterName(name),
    type: TYPES.find((type) => type === property.type) ?? 'string',
    description: description || textOf(property.description),
    required: isRequired,
  });
  const parameters = [
    ...given
      .filter((each) => each.in !== 'header' || !SECRET.test(textOf(each.name)))
      .map((each) => row(textOf(each.name), resolve(each.schema), textOf(each.description), each.required === true)),
    ...flat.map(({ name, property }) => row(name, property, '', required.includes(name))),
  ];
  const marks = (place: string) =>
    given
      .filter((each) => each.in === place)
      .map((each): [string, string] => [textOf(each.name), `{{params.${parameterName(textOf(each.name))}}}`]);
  return {
    name: plainName(textOf(operation.operationId) || `${method} ${path}`),
    description: [textOf(operation.summary), textOf(operation.description)].filter(Boolean).join('. ').slice(0, 4_000),
    method: method.toUpperCase(),
    endpointUrl: `${base}${path.replace(/\{([^}]+)\}/g, (_, name) => `{{params.${parameterName(name)}}}`)}`,
    parameters: [...new Map(parameters.map((each) => [each.name, each])).values()],
    ...withSecrets(marks('header')),
    query: Object.fromEntries(marks('query')),
    body:
      flat.length === 0
        ? ''
        : `{ ${flat.map(({ name, property }) => fieldTemplate(name, String(property.type), `{{params.${parameterName(name)}}}`)).join(', ')} }`,
  };
}
