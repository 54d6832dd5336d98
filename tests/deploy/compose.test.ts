import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { environment } from '../../schema/environment.ts';
import { root } from '../support/npm.ts';

interface Service {
  image: string;
  build?: object;
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: object;
  read_only?: boolean;
  cap_drop?: string[];
  depends_on?: Record<string, { condition: string }>;
  ports?: string[];
}

const text = readFileSync(join(root, 'deploy', 'compose.yaml'), 'utf8');
const services: Record<string, Service> = parse(text, { merge: true }).services;
const own = Object.entries(services).filter(([, { build }]) => build);

test('the file has every process of the product, PostgreSQL, and Temporal with its own database and UI', () => {
  const processes = ['agent', 'catalog', 'gateway', 'migrate', 'site-content', 'worker'];
  expect(own.map(([name]) => name).sort()).toEqual(processes);
  expect(Object.keys(services)).toEqual(expect.arrayContaining(['postgres', 'temporal', 'temporal-postgres', 'temporal-ui']));
});

test('no image is unversioned, and no port is open to other machines', () => {
  for (const { image, ports = [] } of Object.values(services)) {
    expect(image).toMatch(/:(\d+\.\d|\$\{TAG:-dev\})/);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  }
});

test.each(own)('%s has a read-only file system, no capabilities, and only known variables', (_, service) => {
  expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  expect(Object.keys(service.environment!).filter((name) => !(name in environment))).toEqual([]);
});

test('every process knows the public URL: subgraphs admit the dashboard and write the snippets of widgets', () => {
  for (const [name, { environment: env }] of own)
    expect([name, env!.PUBLIC_URL]).toEqual([name, expect.stringMatching(/^\$\{PUBLIC_URL:-/)]);
});

test('a service that others wait for has a health check', () => {
  for (const { depends_on = {} } of Object.values(services))
    for (const [name, { condition }] of Object.entries(depends_on)) {
      expect(services[name]).toBeDefined();
      const checked = services[name]!.healthcheck !== undefined || services[name]!.build !== undefined;
      expect([name, condition === 'service_healthy' ? checked : true]).toEqual([name, true]);
    }
});
