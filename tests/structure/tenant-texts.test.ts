import { readFileSync } from 'node:fs';
import { environment } from '../../schema/environment.ts';
import { sources, textOf } from './files.ts';

/** The documentation of the API names this variable, because callers of the endpoint are schedulers of the operator. */
const DOCUMENTED = ['CRON_SECRET'];
const names = Object.keys(environment).filter((name) => !DOCUMENTED.includes(name));
const variable = new RegExp(`\\b(?:${names.join('|')})\\b`);

test.each(['schema/api.graphql', 'schema/openapi.json', 'schema/openapi-site-content.json'])(
  '%s names no variable of the operator',
  (file) => {
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.filter((line) => variable.test(line))).toEqual([]);
  },
);

test('no error message for tenants names a variable of the operator', () => {
  const errors = /(?:\bfail\(|new (?:ItemFailure|ProviderFault|ProviderRefusal|OutboundRefused)\()[^;]{0,300}/g;
  const found = sources
    .filter((file) => /^(platform|subgraphs|workflows|server|rest-adapter|gateway)\//.test(file))
    .flatMap((file) => (textOf(file).match(errors) ?? []).filter((call) => variable.test(call)).map((call) => [file, call]));
  expect(found).toEqual([]);
});
