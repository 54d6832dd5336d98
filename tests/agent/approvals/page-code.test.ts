import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../start/servers/ports.ts';
import { codeOf, type Language, runCode, testIn } from '../../support/page-code.ts';
import { DASHBOARD } from '../../support/subgraph.ts';
import { until } from '../../support/until.ts';
import { openShop } from './open-shop.ts';

const shop = await openShop();
afterAll(() => shop.close());
const site = await shop.seedSite();
await site.createTool('cancel_order', shop.cancelOrder);
shop.calls('please cancel', 'cancel_order', { number: 'B-1' });

/** The code of a section of docs/agents.md, with what a test adds to it. */
const sectionOf = (section: string, before: string, after: string): string =>
  [before, codeOf('docs/agents.md', section), after].join('\n');

interface Programs {
  title: string;
  /** Prints the token of the customer in `INPUT`. */
  signs: string;
  /** Prints for each request in `INPUT` whether it is accepted. */
  verifies: string;
  /** A server that answers each request with `accepted` or `refused`. */
  server: string;
  command: (file: string, port: string) => [string, ...string[]];
}

const programs: Record<Language, Programs> = {
  js: {
    title: 'Node',
    signs: sectionOf(
      'Node',
      'process.env.AGENT_IDENTITY_SECRET = JSON.parse(process.env.INPUT).secret;',
      'console.log(JSON.stringify(await identityToken(JSON.parse(process.env.INPUT).customer)));',
    ),
    verifies: sectionOf(
      'Verify in Node',
      '',
      'console.log(JSON.stringify(JSON.parse(process.env.INPUT).map((each) => isFromAgent(each, each.secret))));',
    ),
    server: sectionOf(
      'Verify in Node',
      `import { createServer } from 'node:http';`,
      `createServer(async (request, response) => {
         let rawBody = '';
         for await (const part of request.setEncoding('utf8')) rawBody += part;
         const { method, headers } = request;
         const url = process.env.ORIGIN + request.url;
         response.end(isFromAgent({ method, url, headers, rawBody }, process.env.SECRET) ? 'accepted' : 'refused');
       }).listen(new URL(process.env.ORIGIN).port, '127.0.0.1');`,
    ),
    command: (file) => [process.execPath, file],
  },
  php: {
    title: 'PHP',
    signs: sectionOf(
      'PHP',
      `$input = json_decode(getenv('INPUT')); putenv("AGENT_IDENTITY_SECRET=$input->secret");`,
      'echo json_encode(identityToken($input->customer));',
    ),
    verifies: sectionOf(
      'Verify in PHP',
      'set_error_handler(function ($level, $text) { throw new ErrorException($text); });',
      `echo json_encode(array_map(
         fn ($each) => isFromAgent($each['method'], $each['url'], $each['headers'], $each['rawBody'], $each['secret']),
         json_decode(getenv('INPUT'), true),
       ));`,
    ),
    server: sectionOf(
      'Verify in PHP',
      '<?php',
      `$url = getenv('ORIGIN') . $_SERVER['REQUEST_URI'];
       $body = file_get_contents('php://input');
       echo isFromAgent($_SERVER['REQUEST_METHOD'], $url, getallheaders(), $body, getenv('SECRET')) ? 'accepted' : 'refused';`,
    ),
    command: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
  },
  python: {
    title: 'Python',
    signs: sectionOf(
      'Python',
      '',
      `from types import SimpleNamespace
given = json.loads(os.environ["INPUT"])
os.environ["AGENT_IDENTITY_SECRET"] = given["secret"]
print(json.dumps(identity_token(SimpleNamespace(**given["customer"]))))`,
    ),
    verifies: sectionOf(
      'Verify in Python',
      '',
      `import json, os
print(json.dumps([
    is_from_agent(each["method"], each["url"], each["headers"], each["rawBody"].encode(), each["secret"])
    for each in json.loads(os.environ["INPUT"])
]))`,
    ),
    server: sectionOf(
      'Verify in Python',
      '',
      `import os
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        isAccepted = is_from_agent(self.command, os.environ["ORIGIN"] + self.path, self.headers, body, os.environ["SECRET"])
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"accepted" if isAccepted else b"refused")

    do_GET = do_POST = answer

HTTPServer(("127.0.0.1", int(os.environ["ORIGIN"].split(":")[2])), Handler).serve_forever()`,
    ),
    command: (file) => ['python3', file],
  },
};

const IDENTITY = 'query ($slug: String!) { widgetIdentity(publicSlug: $slug) { status error subject name email } }';

/** The answers of the tools of a visitor who orders something, and approves it. */
async function order(word: string) {
  const visitor = site.visit();
  const { asked } = await visitor.say(word);
  return (await visitor.decide(asked[0]!, true)).text;
}

/** Requests with the answer of a correct receiver. */
async function requests(language: Language) {
  await order('please cancel');
  const { method, url, headers, body } = shop.receiver.last();
  const sent = { method, url: shop.receiver.url + url, headers, rawBody: body, secret: site.requestSecret };
  const [, t, v1] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['x-svc-signature']))!;
  const withSignature = (signature: string) => ({ ...sent, headers: { ...headers, 'x-svc-signature': signature } });
  const { 'x-svc-visitor': _, ...unnamed } = headers;
  const all: [name: string, request: typeof sent, isAccepted: boolean][] = [
    ['as sent', sent, true],
    ['with the signature of the next secret', withSignature(`t=${t},v1=${'0'.repeat(64)},v1=${v1}`), true],
    ['with another body', { ...sent, rawBody: `${body} ` }, false],
    ['with another visitor', { ...sent, headers: { ...headers, 'x-svc-visitor': 'c-1' } }, false],
    ['without a visitor', { ...sent, headers: unnamed }, false],
    ['to another path', { ...sent, url: `${sent.url}/all` }, false],
    ['with another secret', { ...sent, secret: 'whsec_other' }, false],
    ['with an old time', withSignature(`t=${Number(t) - 301},v1=${v1}`), false],
    ['with a time that is no number', withSignature(`t=²,v1=${v1}`), false],
    ['with a time of many digits', withSignature(`t=${'9'.repeat(5_000)},v1=${v1}`), false],
    ['with letters as the signature', withSignature(`t=${t},v1=${'z'.repeat(64)}`), false],
    ['with foreign letters as the signature', withSignature(`t=${t},v1=${'ü'.repeat(64)}`), false],
    ['without a signature', withSignature(`t=${t}`), false],
    ['with no header', { ...sent, headers: {} }, false],
  ];
  const capitalized = Object.entries(headers).map(([name, value]) => [
    name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    value,
  ]);
  // PHP-FPM spells the names so. The other languages read them in any spelling.
  if (language === 'php') all.push(['with capital letters in names', { ...sent, headers: Object.fromEntries(capitalized) }, true]);
  return all;
}

describe.each(Object.entries(programs) as [Language, Programs][])('docs/agents.md in %s', (language, { title, ...program }) => {
  testIn(language)(`the code in ${title} signs a customer in`, async () => {
    const customer = { id: 7, email: 'zoe@example.com', name: 'Zoë “Z” Ünal 😀', plan: 'gold' };
    const token = (await runCode(language, program.signs, { secret: site.identitySecret, customer })) as string;
    const visitor = shop.graph.caller(undefined, {
      origin: DASHBOARD,
      'x-client-address': '10.0.0.1',
      'x-identity-token': token,
    });
    expect((await visitor.ask(IDENTITY, { slug: site.agent.publicSlug })).widgetIdentity).toEqual({
      ...{ status: 'verified', error: null, subject: '7' },
      ...{ name: customer.name, email: customer.email },
    });
  });

  testIn(language)(`the code in ${title} accepts exactly what this service signed`, async () => {
    const all = await requests(language);
    const answers = (await runCode(
      language,
      program.verifies,
      all.map(([, request]) => request),
    )) as boolean[];
    expect(all.map(([name], at) => [name, answers[at]])).toEqual(all.map(([name, , isAccepted]) => [name, isAccepted]));
  });

  testIn(language)(`a server with the code in ${title} answers the agent, and nobody else`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'receiver-'));
    const file = join(folder, `receiver.${language}`.replace('js', 'mjs'));
    await writeFile(file, program.server);
    const origin = `http://127.0.0.1:${await freePort()}`;
    const [command, ...args] = program.command(file, new URL(origin).port);
    const server = spawn(command, args, { env: { ...process.env, ORIGIN: origin, SECRET: site.requestSecret }, stdio: 'ignore' });
    const post = (headers: Record<string, string>) =>
      fetch(origin, { method: 'POST', headers, body: '{}' }).then(
        (response) => response.text(),
        () => undefined,
      );
    try {
      await until(async () => (await post({})) === 'refused');
      await site.createTool(`send_${language}`, {
        endpointUrl: `${origin}/orders/{{params.number}}/send`,
        queryTemplate: { to: '{{params.to}}' },
      });
      await site.createTool(`find_${language}`, { method: 'GET', endpointUrl: `${origin}/orders/{{params.number}}?a=b%20c` });
      const input = { number: 'B 1/ü', to: 'Zoë & “Co” 😀' };
      shop.calls(`please send it by ${language}`, `send_${language}`, input);
      shop.calls(`please find it by ${language}`, `find_${language}`, input);
      expect(await order(`please send it by ${language}`)).toContain('accepted');
      expect((await site.visit().say(`please find it by ${language}`)).text).toContain('accepted');
      expect(
        await post({ 'x-svc-visitor': 'none', 'x-svc-signature': `t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}` }),
      ).toBe('refused');
    } finally {
      server.kill();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
