import { caller } from '../../support/client.ts';
import { openTools } from './open-tools.ts';

const { acme, receiver, admin, path, createTool, dryRun, close } = await openTools();
afterAll(close);
afterEach(() => receiver.replyWith());

describe('the request', () => {
  test('values are escaped by their place', async () => {
    const nasty = 'a/b?c#d&e=f"g\\h\n{{params.y}} %2F ü 🔑';
    const data = await dryRun(
      {
        endpointUrl: `${receiver.url}/users/{{params.x}}/orders?first={{params.x}}`,
        method: 'PUT',
        queryTemplate: { 'n&m': 'is {{params.x}}&', empty: '{{params.missing}}' },
        headersTemplate: { 'x-number': 'n={{params.n}}' },
        bodyTemplate: '{"text": "<{{params.x}}>", "number": {{params.n}}, "list": {{params.list}}, "none": {{params.missing}}}',
      },
      { x: nasty, n: 7, list: ['ü"', { a: 1 }], y: 'never' },
    );
    expect(data.error).toBeNull();
    const { url, headers, body, method } = receiver.last();
    const parsed = new URL(url, receiver.url);
    expect(method).toBe('PUT');
    expect(parsed.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'users', nasty, 'orders']);
    expect([...parsed.searchParams]).toEqual([
      ['first', nasty],
      ['n&m', `is ${nasty}&`],
      ['empty', ''],
    ]);
    expect(headers).toMatchObject({ 'x-number': 'n=7', 'content-type': 'application/json' });
    expect(JSON.parse(body)).toEqual({ text: `<${nasty}>`, number: 7, list: ['ü"', { a: 1 }], none: null });
    expect(data.request).toMatchObject({ method: 'PUT', query: { first: nasty, empty: '' }, body });
    expect(data.request.url).toBe(receiver.url + url);
  });

  test('the body follows its content type', async () => {
    const send = async (type: string, bodyTemplate: string) => {
      await dryRun({ headersTemplate: { 'Content-Type': type }, bodyTemplate }, { x: 'a&b=<c> ü' });
      return receiver.last().body;
    };
    expect(await send('application/x-www-form-urlencoded', 'x={{params.x}}&y=1')).toBe('x=a%26b%3D%3Cc%3E%20%C3%BC&y=1');
    expect(await send('text/xml; charset=utf-8', '<x>{{params.x}}</x>')).toBe('<x>a&amp;b=&lt;c&gt; ü</x>');
    expect(await send('text/plain', 'say {{params.x}}')).toBe('say a&b=<c> ü');
    await dryRun({ bodyTemplate: 'say {{params.x}}' }, { x: 'hello' });
    expect(receiver.last()).toMatchObject({ body: 'say hello', headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });

  test('without a template POST sends the parameters, and GET and DELETE send no body', async () => {
    await dryRun({}, { a: 1 });
    expect(receiver.last()).toMatchObject({ method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } });
    await dryRun({ bodyTemplate: '' }, { a: 1 });
    expect(receiver.last()).toMatchObject({ method: 'POST', body: '' });
    await dryRun({ method: 'GET', bodyTemplate: '{"a": 1}' }, { a: 1 });
    expect(receiver.last()).toMatchObject({ method: 'GET', body: '' });
    await dryRun({ method: 'DELETE' }, { a: 1 });
    expect(receiver.last()).toMatchObject({ method: 'DELETE', body: '' });
  });

  test('the parameters are the body, or its only key params', async () => {
    await dryRun({}, { params: { a: 1 } });
    expect(receiver.last().body).toBe('{"a":1}');
    await dryRun({}, { params: { a: 1 }, b: 2 });
    expect(receiver.last().body).toBe('{"params":{"a":1},"b":2}');
    await dryRun({ inputSchema: { type: 'object', properties: { params: { type: 'object' } } } }, { params: { a: 1 } });
    expect(receiver.last().body).toBe('{"params":{"a":1}}');
  });

  test('a long whole number, which arrives as text, fits the type of a number', async () => {
    const settings = {
      endpointUrl: `${receiver.url}/orders/{{params.x}}`,
      inputSchema: { type: 'object', properties: { x: { type: 'integer' } } },
    };
    expect((await dryRun(settings, { x: '1234567890123456789' })).error).toBeNull();
    expect(receiver.last().url).toBe('/orders/1234567890123456789');
    expect((await dryRun(settings, { x: '1234567890123456' })).error).toContain('parameters/x must be integer');
  });

  test.each([
    [
      'a line break in a header',
      { headersTemplate: { 'x-a': '{{params.x}}' } },
      'a\r\nx-evil: 1',
      'params.x must not contain line breaks',
    ],
    ['a letter beyond Latin-1 in a header', { headersTemplate: { 'x-a': '{{params.x}}' } }, 'Łukasz', 'characters of Latin-1'],
    ['two dots in the path', { endpointUrl: '/users/{{params.x}}/orders' }, '..', 'must not be "." or ".."'],
    ['half a dot segment in the path', { endpointUrl: '/users/.{{params.x}}/orders' }, '.', 'must not be "." or ".."'],
    ['an unknown secret', { headersTemplate: { 'x-a': '{{secret:UNKNOWN}}' } }, 'x', 'The secret UNKNOWN does not exist.'],
    [
      'a parameter that breaks the schema',
      { inputSchema: { type: 'object', properties: { x: { type: 'number' } } } },
      'x',
      'do not match the schema: parameters/x must be number',
    ],
    [
      'a parameter that breaks a pattern',
      { inputSchema: { type: 'object', properties: { x: { type: 'string', pattern: '^(a+)+$' } } } },
      `${'a'.repeat(30_000)}b`,
      'must match pattern',
    ],
  ])('%s prevents the request', async (_, settings, x, message) => {
    const before = receiver.received.length;
    const endpointUrl = receiver.url + ('endpointUrl' in settings ? settings.endpointUrl : '');
    const data = await dryRun({ ...settings, endpointUrl }, { x });
    expect(data).toEqual({ request: null, response: null, result: null, error: expect.stringContaining(message) });
    expect(receiver.received).toHaveLength(before);
  });
});

describe('allowed domains', () => {
  test('a host from a parameter must be listed', async () => {
    const settings = { endpointUrl: `http://{{params.host}}:${receiver.port}/x`, allowedDomains: ['127.0.0.1', '.example.com'] };
    expect((await dryRun(settings, { host: '127.0.0.1' })).error).toBeNull();
    for (const host of [
      'localhost',
      'example.com',
      'evilexample.com',
      'a.example.com.evil.org',
      '127.0.0.1@evil.org',
      'evil.org/127.0.0.1',
      '2130706433',
      '',
      'a.example.com#',
    ])
      expect((await dryRun(settings, { host })).error).toMatch(/is not in the allowed domains|is not valid|in its usual form/);
  });

  test('a private host is refused although the tool lists it, and gets no secret', async () => {
    const shared = caller(acme.key);
    const { id } = await createTool({ allowedDomains: ['127.0.0.1'], headersTemplate: { authorization: '{{secret:TOKEN}}' } });
    const before = receiver.received.length;
    // The gateway of all tests does not trust the receiver.
    const { body } = await shared.post(`${path}/tools/${id}/test`);
    expect(body.data).toMatchObject({ response: null, result: null, error: 'The address is not on the public internet.' });
    expect(receiver.received).toHaveLength(before);
  });

  test('a redirect is refused, so that no secret follows it', async () => {
    receiver.replyWith((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
    const before = receiver.received.length;
    const data = await dryRun({ headersTemplate: { authorization: '{{secret:TOKEN}}' } });
    expect(data.error).toContain('redirects');
    expect(receiver.received).toHaveLength(before + 1);
  });
});

describe('the response', () => {
  const reply = (text: string, type = 'application/json', status = 200) =>
    receiver.replyWith((_, response) => response.writeHead(status, { 'content-type': type }).end(text));

  test.each([
    ['$.a.b', { a: { b: 1 } }, 1],
    ['$.a.c', { a: { b: 1 } }, null],
    ['$.items[*].n', { items: [{ n: 1 }] }, [1]],
    ['$.items[?@.n > 5]', { items: [{ n: 1 }] }, null],
    ["$[?search(@, '^(a+)+b$')]", ['a'.repeat(40)], null],
    ["$[?match(@, '(a+)+')]", ['aaa', 'b'], ['aaa']],
    ['$', [1, 'x', null], [1, 'x', null]],
  ])('the path %s selects', async (jsonPath, value, result) => {
    reply(JSON.stringify(value));
    const data = await dryRun({ responseMapping: { kind: 'jsonpath', path: jsonPath } });
    expect(data).toMatchObject({ error: null, result });
  });

  test('a call that succeeds without a body has the result null', async () => {
    receiver.replyWith((_, response) => response.writeHead(204).end());
    expect(await dryRun({ responseMapping: { kind: 'jsonpath', path: '$.a' } })).toMatchObject({ error: null, result: null });
  });

  test('long ids keep their digits', async () => {
    reply('{"id": 9007199254740993, "ids": [-12345678901234567890, 12], "weight": 1e300, "text": "9007199254740993"}');
    const select = async (path: string) => (await dryRun({ responseMapping: { kind: 'jsonpath', path } })).result;
    expect(await select('$.id')).toBe('9007199254740993');
    expect(await select('$.ids[*]')).toEqual(['-12345678901234567890', 12]);
    expect(await select('$.weight')).toBe(1e300);
  });

  test('long text and long results are cut', async () => {
    reply('é'.repeat(10_000), 'text/plain; charset=utf-8');
    const long = await dryRun({});
    expect([long.result.length, long.response.truncated]).toEqual([8000, true]);
    const short = await dryRun({ responseMapping: { kind: 'raw', truncateChars: 5 } });
    expect(short).toMatchObject({
      result: 'ééééé',
      response: { snippet: 'ééééé', truncated: true, status: 200, durationMs: expect.any(Number) },
    });
    reply(JSON.stringify({ a: 'x'.repeat(50) }));
    const mapped = await dryRun({ responseMapping: { kind: 'jsonpath', path: '$.a', truncateChars: 10 } });
    expect(mapped).toMatchObject({ result: '"xxxxxxxxx', response: { truncated: true } });
  });

  test.each([
    ['text that is not JSON', 'oops', 'text/plain', 'The response is not JSON.'],
    ['an image', 'PNG', 'image/png', 'The receiver answered with image/png, which is not text.'],
    ['more than 2 MB', 'x'.repeat(2_200_000), 'text/plain', 'The response is larger than allowed.'],
    ['deeply nested JSON', '['.repeat(100_000) + ']'.repeat(100_000), 'application/json', 'nested too deeply|cannot be applied'],
  ])('%s is an error', async (_, text, type, message) => {
    reply(text, type);
    expect((await dryRun({ responseMapping: { kind: 'jsonpath', path: '$' } })).error).toMatch(new RegExp(message));
  });

  test('a path with quadratic cost is terminated', async () => {
    reply(JSON.stringify(Array.from({ length: 30_000 }, (_, n) => ({ n }))));
    const data = await dryRun({ responseMapping: { kind: 'jsonpath', path: '$[?count($..*) > @.n]' } });
    expect(data.error).toBe('The work takes too long.');
    expect((await admin.get(`${path}/tools`)).status).toBe(200);
  });

  test('an error status is an error with an excerpt', async () => {
    reply('{"reason":"no stock"}', 'application/json', 422);
    const data = await dryRun({ responseMapping: { kind: 'jsonpath', path: '$.reason' } });
    expect(data).toMatchObject({
      result: null,
      error: 'The receiver answered with status 422: {"reason":"no stock"}',
      response: { status: 422, snippet: '{"reason":"no stock"}' },
    });
  });

  test('a receiver that never answers, resets, or drips is cut off by the time limit', async () => {
    receiver.replyWith(() => {});
    expect((await dryRun({ timeoutMs: 500 })).error).toBe('The address took too long to answer.');
    receiver.replyWith((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    });
    expect((await dryRun({ timeoutMs: 500 })).error).toBe('The address took too long to answer.');
    receiver.replyWith((_, response) => void response.destroy());
    expect((await dryRun({})).error).toBe('The address could not be reached.');
  });
});
