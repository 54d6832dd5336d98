import { refuseFaults } from '../../../platform/input/index.ts';
import { isReservedHeader } from '../../../platform/outbound/index.ts';
import { truncate } from '../../../schema/text.ts';
import { withDefaults } from '../null-defaults.ts';
import { canonicalDomain, domainsOf, fixedHost, isAllowedHost } from './domains.ts';
import { Tool } from './entity.ts';
import { bodyKind, isJsonTemplate } from './request.ts';
import { mappingFaults, TRUNCATE_CHARS } from './response.ts';
import { IS_LATIN_1, parseTemplate, secretsOf, unknownPlaceholders } from './templates.ts';
import type { NewResponseMapping, ResponseMapping, ToolChange } from './types.ts';

const REQUIRED = ['name', 'description', 'endpointUrl'] as const;
/** Entries of a map of templates, characters of one of them, and placeholders of one template. */
const [MAX_ENTRIES, MAX_VALUE, MAX_PLACEHOLDERS] = [50, 8_192, 100];
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]{1,100}$/;

/** Replaces each null by its default. Throws `INVALID_INPUT` for faults that types and declared limits do not catch. */
export function readSettings(change: ToolChange): Partial<Tool> {
  refuseFaults(faultsOf(change));
  const { allowedDomains, headersTemplate, queryTemplate, responseMapping, ...rest } = change;
  const settings = {
    ...rest,
    headersTemplate: headersTemplate && texts(headersTemplate),
    queryTemplate: queryTemplate && texts(queryTemplate),
    responseMapping: responseMapping && toMapping(responseMapping),
    allowedDomains: allowedDomains && [...new Set(allowedDomains.map((entry) => canonicalDomain(entry)!))],
  };
  return withDefaults(settings, new Tool());
}

/** Checks a whole tool, and returns the secrets that its templates name. Throws `INVALID_INPUT`. */
export function checkTool(tool: Tool): string[] {
  refuseFaults(combinedFaults(tool));
  const { endpointUrl, headersTemplate, queryTemplate, bodyTemplate } = tool;
  return secretsOf([endpointUrl, ...Object.values(headersTemplate), ...Object.values(queryTemplate), bodyTemplate ?? '']);
}

const toMapping = ({ kind, path, truncateChars }: NewResponseMapping): ResponseMapping => ({
  kind,
  ...(kind === 'jsonpath' && { path }),
  truncateChars: truncateChars ?? TRUNCATE_CHARS,
});

/** Templates with numbers and booleans as text. */
export const texts = (templates: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(templates).map(([name, value]) => [name, String(value)]));

function* faultsOf(change: ToolChange): Generator<string> {
  for (const name of REQUIRED) if (change[name] === null) yield `${name} must not be null`;
  if (typeof change.endpointUrl === 'string') yield* endpointFaults(change.endpointUrl);
  if (change.headersTemplate) yield* headerFaults(change.headersTemplate);
  if (change.queryTemplate) yield* templateFaults('queryTemplate', change.queryTemplate);
  if (change.bodyTemplate) yield* placeholderFaults('bodyTemplate', change.bodyTemplate);
  if (change.responseMapping) yield* mappingFaults(change.responseMapping);
  for (const [index, entry] of (change.allowedDomains ?? []).entries())
    if (canonicalDomain(entry) === undefined)
      yield `allowedDomains[${index}] must be a host such as api.example.com or .example.com`;
}

function* endpointFaults(url: string): Generator<string> {
  const [, authority] = /^https?:\/\/([^/?#]+)/i.exec(url) ?? [];
  const isValid = authority !== undefined && !/[\s\\]/.test(url.replace(/\{\{[^{}]*\}\}/g, 'x'));
  if (!isValid || !URL.canParse(url.replace(/\{\{[^{}]*\}\}/g, 'x'))) return yield 'endpointUrl must be an http or https URL';
  if (secretsOf([authority]).length > 0) yield 'endpointUrl must not have a secret in its host';
  yield* placeholderFaults('endpointUrl', url);
}

/** Yields the faults of a map of header templates. */
export function* headerFaults(templates: Record<string, unknown>): Generator<string> {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(templates)) {
    const shown = truncate(name, 100);
    if (!HEADER_NAME.test(name)) yield `headersTemplate must not have the header name ${JSON.stringify(shown)}`;
    else if (isReservedHeader(name)) yield `headersTemplate must not set the header ${shown}`;
    else if (seen.has(name.toLowerCase())) yield `headersTemplate has the header ${shown} twice`;
    else if (typeof value === 'string' && /[\r\n]/.test(value)) yield `headersTemplate.${shown} must not have line breaks`;
    else if (typeof value === 'string' && !IS_LATIN_1.test(value))
      yield `headersTemplate.${shown} must have only characters of Latin-1`;
    seen.add(name.toLowerCase());
  }
  yield* templateFaults('headersTemplate', templates);
}

function* templateFaults(field: string, templates: Record<string, unknown>): Generator<string> {
  const entries = Object.entries(templates);
  if (entries.length > MAX_ENTRIES) return yield `${field} must have at most ${MAX_ENTRIES} entries`;
  for (const [name, value] of entries) {
    const path = `${field}.${truncate(name, 100)}`;
    if (!['string', 'number', 'boolean'].includes(typeof value)) yield `${path} must be text`;
    else if (String(value).length > MAX_VALUE) yield `${path} must be at most ${MAX_VALUE} characters`;
    else yield* placeholderFaults(path, String(value));
  }
}

function* placeholderFaults(path: string, template: string): Generator<string> {
  const [unknown] = unknownPlaceholders(template);
  if (unknown) yield `${path} has the unknown placeholder ${truncate(unknown, 100)}; use {{params.name}} or {{secret:NAME}}`;
  const count = parseTemplate(template).filter((part) => typeof part === 'object').length;
  if (count > MAX_PLACEHOLDERS) yield `${path} must have at most ${MAX_PLACEHOLDERS} placeholders`;
}

function* combinedFaults(tool: Tool): Generator<string> {
  const host = fixedHost(tool.endpointUrl);
  const domains = domainsOf(tool);
  if (domains.length === 0) yield 'allowedDomains must not be empty, because the host of endpointUrl depends on a parameter';
  else if (host !== undefined && !isAllowedHost(host, domains))
    yield `allowedDomains must include the host of endpointUrl, ${host}`;
  const { bodyTemplate, headersTemplate } = tool;
  if (bodyTemplate && bodyKind(bodyTemplate, headersTemplate) === 'json' && !isJsonTemplate(bodyTemplate))
    yield 'bodyTemplate must be JSON when its placeholders are filled in';
}
