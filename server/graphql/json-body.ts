import type { FastifyInstance } from 'fastify';
import { httpError } from '../failure.ts';
import { hasDuplicateKeys, measureJson } from '../json-members.ts';

/** Parse bodies as JSON only, and refuse objects with duplicate keys, because parsers disagree on which value counts. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain');
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) =>
    parseJson(request, String(text), (error, value) => {
      const isAmbiguous = !error && hasDuplicateKeys(value, measureJson(String(text)).members);
      done(isAmbiguous ? httpError(400, 'The body names a key twice in one object') : error, value);
    }),
  );
}
