import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { greeting } from '../../start/first-run/greeting.ts';
import { modelTitle } from '../../start/first-run/stages.ts';
import { SAMPLE } from '../../start/sample/first-run.ts';
import { seedOrganization } from '../support/seed.ts';

const run = promisify(execFile);
const url = process.env.TEST_URL!;
const context = {
  env: {},
  url,
  siteUrl: '',
  logs: '/tmp/logs',
  pages: '',
  orders: '',
  customers: '',
  shopUrl: '',
  hooks: '',
  publish: () => {},
};

test.each(['with a key in the text', 'with a key in a variable'])(
  'the printed request works when it is pasted into a shell, %s',
  async (of) => {
    const { key, slug } = await seedOrganization();
    const api = undefined as never;
    const sample = of.endsWith('text') ? { key, api, products: [], agentId: '', site: { siteId: '', formId: '' } } : undefined;
    const [command] = /^ {2}curl -s [^\n]*\\\n[^\n]*/m.exec(greeting({ ...context, sample }))!;
    const pasted = command.replace(`/api/${SAMPLE.organization}/`, `/api/${slug}/`);
    const { stdout } = await run('bash', ['-c', pasted], { env: { PATH: process.env.PATH, ...(!sample && { KEY: key }) } });
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { products: [] } });
  },
);

test.each([
  [undefined, undefined, 'Offline model (no OPENAI_API_KEY)'],
  ['sk-1', undefined, 'Sample pages; model provider OpenAI'],
  ['local', 'http://user:secret@127.0.0.1:8080/v1', 'Sample pages; model provider 127.0.0.1:8080'],
])('the stage of the model names the provider: key %s, URL %s', (OPENAI_API_KEY, OPENAI_BASE_URL, title) => {
  expect(modelTitle({ OPENAI_API_KEY, OPENAI_BASE_URL })).toBe(title);
});
