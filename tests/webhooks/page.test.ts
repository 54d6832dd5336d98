import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { enums } from '../../schema/enums.ts';
import { webhookEvents } from '../../schema/webhook-events.ts';
import { textOf } from '../structure/files.ts';
import { type Engine, openEngine } from './engine.ts';
import { type Call, startReceiver } from './receiver.ts';

const run = promisify(execFile);
const page = textOf('docs/webhooks.md');
const codeOf = (language: string): string => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)![1]!;

let engine: Engine;
let call: Call;
let secret: string;
let folder: string;
beforeAll(async () => {
  engine = await openEngine();
  folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
  const receiver = await startReceiver();
  secret = (await engine.subscribe(receiver.url)).secret;
  const deliverer = engine.start();
  await engine.emit('lead.created', { name: 'Ada “Zoë” Lovelace 😀' });
  [call] = (await receiver.waitFor(1)) as [Call];
  await deliverer.close();
  await receiver.close();
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

interface Received {
  secret: string;
  headers: Record<string, unknown>;
  body: string;
}

/** Each request with the answer of a correct receiver. */
function requests(): [name: string, request: Received, accepted: boolean][] {
  const { headers, text: body } = call;
  const signature = String(headers['x-svc-signature']);
  const old = String(Number(headers['webhook-timestamp']) - 301);
  const other = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const unsigned = { ...headers, 'x-svc-signature': signature.split(',')[0]!, 'webhook-signature': 'v1,' };
  const rotated = {
    ...headers,
    'x-svc-signature': signature.replace(',v1', `,v1=${'0'.repeat(64)},v1`),
    'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')} ${headers['webhook-signature']}`,
  };
  const late = { ...headers, 'x-svc-signature': signature.replace(/t=\d+/, `t=${old}`), 'webhook-timestamp': old };
  const signedBy = (each: string) => ({
    ...headers,
    'x-svc-signature': signature.replace(/v1=\w+/, `v1=${each}`),
    'webhook-signature': `v1,${each}`,
  });
  const withTime = (time: string) => ({
    ...headers,
    'x-svc-signature': signature.replace(/t=\d+/, `t=${time}`),
    'webhook-timestamp': time,
  });
  return [
    ['as sent', { secret, headers, body }, true],
    ['with two signatures', { secret, headers: rotated, body }, true],
    ['with another body', { secret, headers, body: `${body} ` }, false],
    ['with another secret', { secret: other, headers, body }, false],
    ['with an old time', { secret, headers: late, body }, false],
    ['without a signature', { secret, headers: unsigned, body }, false],
    ['with letters as the signature', { secret, headers: signedBy('ü'.repeat(64)), body }, false],
    ['with a signature that has no value', { secret, headers: { ...headers, 'x-svc-signature': `${signature},v1` }, body }, true],
    ['with an odd time', { secret, headers: withTime('²'), body }, false],
    ['with a long time', { secret, headers: withTime('9'.repeat(5_000)), body }, false],
    ['without a time', { secret, headers: { ...headers, 'x-svc-signature': 'v1=', 'webhook-timestamp': '' }, body }, false],
  ];
}

const isInstalled = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

interface Language {
  /** Adds a program that reads the requests from `requests.json` and prints what the code of the page says to each. */
  files: () => Record<string, string>;
  command: [string, ...string[]];
  isMissing?: boolean;
}

const languages: Record<string, Language> = {
  js: {
    files: () => ({
      'receiver.mjs': `${codeOf('js')}
        import { readFileSync } from 'node:fs';
        const requests = JSON.parse(readFileSync('requests.json'));
        console.log(JSON.stringify(requests.map(({ secret, headers, body }) => isSigned(secret, headers['x-svc-signature'], Buffer.from(body)))));`,
    }),
    command: [process.execPath, 'receiver.mjs'],
  },
  python: {
    files: () => ({
      'receiver.py': `${codeOf('python')}
import json
print(json.dumps([is_signed(each["secret"], each["headers"], each["body"].encode()) for each in json.load(open("requests.json"))]))`,
    }),
    command: ['python3', 'receiver.py'],
    isMissing: !isInstalled('python3', '--version'),
  },
  go: {
    files: () => ({
      'go.mod': 'module receiver\n\ngo 1.21\n',
      'receiver.go': codeOf('go'),
      'main.go': `package main

import (
	"encoding/json"
	"os"
)

func main() {
	var requests []struct {
		Secret  string
		Headers map[string]string
		Body    string
	}
	file, _ := os.ReadFile("requests.json")
	if err := json.Unmarshal(file, &requests); err != nil {
		panic(err)
	}
	answers := []bool{}
	for _, each := range requests {
		answers = append(answers, IsSigned(each.Secret, each.Headers["x-svc-signature"], []byte(each.Body)))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
`,
    }),
    command: ['go', 'run', '.'],
    isMissing: !isInstalled('go', 'version'),
  },
};

for (const [language, { files, command, isMissing }] of Object.entries(languages)) {
  const title = `the receiver of docs/webhooks.md in ${language} accepts exactly the deliveries that this service signed`;
  const check = isMissing ? test.skip : test;
  if (isMissing) console.warn(`${command[0]} is not installed, so its receiver in docs/webhooks.md is not checked.`);
  check(
    title,
    async () => {
      const all = requests();
      const written = { ...files(), 'requests.json': JSON.stringify(all.map(([, request]) => request)) };
      for (const [name, text] of Object.entries(written)) await writeFile(join(folder, name), text);
      const [program, ...args] = command;
      const { stdout } = await run(program, args, { cwd: folder });
      const answers = JSON.parse(stdout) as boolean[];
      expect(all.map(([name], at) => [name, answers[at]])).toEqual(all.map(([name, , accepted]) => [name, accepted]));
    },
    300_000,
  );
}

test('the OpenAPI documents describe exactly the events of their surfaces', () => {
  const eventsOf = (name: string) => Object.keys(JSON.parse(textOf(`schema/${name}`)).webhooks);
  expect(eventsOf('openapi.json').sort()).toEqual([...enums.WebhookEvent.values, ...enums.AgentEvent.values].sort());
  expect(eventsOf('openapi-site-content.json').sort()).toEqual([...enums.SiteEvent.values].sort());
});

test('docs/webhooks.md shows each event with its data', () => {
  for (const [event, { summary }] of Object.values(webhookEvents).flatMap((events) => Object.entries(events)))
    expect(page).toContain(`| \`${event}\` | ${summary} |`);
});
