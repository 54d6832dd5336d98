import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, parseDocument } from 'yaml';
import { MAX_HEAP_MB } from '../../platform/reading/reading.ts';
import { environment } from '../../schema/environment.ts';
import { run } from '../../start/servers/processes.ts';
import { BUDGET } from '../../subgraphs/agent/retrieval/exact-scan.ts';
import { root } from '../support/npm.ts';
import { findTools, KUBERNETES } from './tools.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
type Resource = any;

const tools = await findTools();
if (!tools) process.stderr.write('skipped  chart: run `npm run check:deploy` once to install Helm and the Kubernetes schemas\n');
const withTools = tools ? describe : describe.skip;

/** Together they set every value of the chart at least once. */
const variants: Record<string, string[]> = {
  defaults: [],
  exposed: [
    ...['ingress.enabled=true', 'ingress.host=api.example.com', 'ingress.className=nginx', 'ingress.tlsSecretName=tls'],
    ...['ingress.annotations.a=b', 'siteHost=content.example.com', 'publicUrl=https://api.example.com', 'env.LOG_LEVEL=debug'],
  ],
  monitored: [
    ...['metrics.podMonitor.enabled=true', 'metrics.podMonitor.labels.release=p', 'metrics.prometheusRule.enabled=true'],
    ...['metrics.prometheusRule.labels.release=p', 'metrics.dashboards.enabled=true', 'metrics.port=9000'],
    ...['metrics.dashboards.labels.grafana_dashboard=yes'],
  ],
  small: [
    ...['defaults.autoscaling.enabled=false', 'components.worker.autoscaling.enabled=false', 'defaults.replicas=1'],
    ...['networkPolicy.enabled=false', 'metrics.enabled=false', 'shutdownDelay=0', 'terminationGracePeriodSeconds=30'],
  ],
  placed: [
    ...['image.repository=mirror/catalog-graph', `image.digest=sha256:${'a'.repeat(64)}`, 'image.pullSecrets[0]=pull'],
    ...['image.pullPolicy=Always', 'secretName=other', 'temporal.address=t:7233', 'temporal.namespace=n', 'temporal.tls=true'],
    ...['defaults.nodeSelector.pool=a', 'defaults.tolerations[0].operator=Exists', 'defaults.priorityClassName=high'],
    ...['defaults.podAnnotations.a=b', 'defaults.podLabels.team=x', 'components.worker.env.WORKER_CONCURRENCY=80'],
    ...[
      'defaults.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key=a',
    ],
    ...[
      'defaults.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator=Exists',
    ],
    ...['migration.backoffLimit=1', 'migration.activeDeadlineSeconds=60', 'components.gateway.disruptionBudget.maxUnavailable=2'],
    ...['image.tag=1.2.3', 'authorities=our-authorities'],
  ],
  tuned: [
    ...['defaults.env.LOG_LEVEL=warn', 'defaults.resources.requests.cpu=1', 'defaults.resources.requests.memory=1Gi'],
    ...['defaults.resources.limits.memory=2Gi', 'defaults.autoscaling.maxReplicas=4', 'defaults.autoscaling.cpuPercent=50'],
    ...['defaults.disruptionBudget.maxUnavailable=2', 'defaults.tmpSize=2Gi', 'networkPolicy.egress[0].ports[0].port=443'],
    ...['networkPolicy.ingressFrom[0].podSelector.matchLabels.app=proxy', 'networkPolicy.metricsFrom[0].ipBlock.cidr=10.0.0.0/8'],
    ...['components.agent.replicas=3', 'components.site-content.replicas=4'],
  ],
};

/** The paths of all values, without those of components, which have the names of the defaults. */
const paths = (value: object, prefix = ''): string[] =>
  Object.entries(value).flatMap(([key, inner]) => {
    const isBranch = typeof inner === 'object' && inner !== null && !Array.isArray(inner) && Object.keys(inner).length > 0;
    return isBranch && key !== 'components' ? paths(inner, `${prefix}${key}.`) : [`${prefix}${key}`];
  });

const render = (values: string[]) => {
  // Environment variables must be text.
  const sets = values.flatMap((value) => [/(^|\.)env\./.test(value) ? '--set-string' : '--set', value]);
  return run(tools!.helm, ['template', 'cg', join(root, 'deploy', 'chart'), '--kube-version', KUBERNETES, ...sets]);
};
const resourcesOf = (text: string): Resource[] => parseAllDocuments(text).flatMap((each) => each.toJS() ?? []);
const of = (resources: Resource[], kind: string) => resources.filter((each) => each.kind === kind);

test('a pod of the agent has memory for its vectors, its threads, and itself', () => {
  const { components } = parseDocument(readFileSync(join(root, 'deploy', 'chart', 'values.yaml'), 'utf8')).toJS();
  const [, limit] = /^(\d+)Gi$/.exec(components.agent.resources.limits.memory)!;
  const mebibyte = 1024 ** 2;
  expect(Number(limit) * 1024 * mebibyte).toBeGreaterThan(BUDGET + (MAX_HEAP_MB + 300) * mebibyte);
});

test('the chart accepts only delays of the shutdown that processes accept', () => {
  const { properties } = JSON.parse(readFileSync(join(root, 'deploy', 'chart', 'values.schema.json'), 'utf8'));
  const { minimum, maximum } = properties.shutdownDelay;
  const { read } = environment.SHUTDOWN_DELAY;
  expect([read(String(minimum)), read(String(maximum))]).toEqual([minimum, maximum]);
});

withTools('the chart', () => {
  let folder: string;
  const rendered: Record<string, Resource[]> = {};
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-graph-chart-'));
    for (const [name, values] of Object.entries(variants)) {
      const { code, output } = await render(values);
      if (code !== 0) throw new Error(`${name}: ${output}`);
      rendered[name] = resourcesOf(output);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('the variants set every value', () => {
    const all = paths(parseDocument(readFileSync(join(root, 'deploy', 'chart', 'values.yaml'), 'utf8')).toJS());
    const set = Object.values(variants).flat();
    expect(all.filter((path) => !set.some((each) => each.startsWith(path)))).toEqual([]);
  });

  test('every resource is valid by the schemas of Kubernetes, strictly', async () => {
    const file = join(folder, 'all.yaml');
    // The resources of the Prometheus operator have no schema there.
    const known = Object.values(rendered)
      .flat()
      .filter(({ apiVersion }) => !apiVersion.startsWith('monitoring.'));
    const distinct = new Set(known.map((each) => JSON.stringify(each)));
    await writeFile(file, [...distinct].join('\n---\n'));
    const { code, output } = await run(tools!.validate, ['--strict', '-k', KUBERNETES, file]);
    expect(output.split('\n').filter((line) => line && !line.includes(' passed '))).toEqual([]);
    expect(code).toBe(0);
    expect(distinct.size).toBeGreaterThan(60);
  });

  test('containers are unprivileged, get secrets by reference only, and know every variable that they set', () => {
    for (const { spec } of Object.values(rendered).flatMap((all) => [...of(all, 'Deployment'), ...of(all, 'Job')])) {
      expect(spec.template.spec).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      for (const { securityContext, env, envFrom, resources } of spec.template.spec.containers) {
        expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
        expect(envFrom).toEqual([{ secretRef: { name: expect.stringMatching(/^(catalog-graph|other)$/) } }]);
        const isKnown = (name: string) => name in environment || name === 'NODE_EXTRA_CA_CERTS';
        expect(env.filter(({ name }: { name: string }) => !isKnown(name) || /KEY|SECRET|DATABASE/.test(name))).toEqual([]);
        expect(resources.limits.memory).toBeDefined();
      }
    }
  });

  test('each component has a deployment with probes, a budget, a scaler and a network policy', () => {
    const components = ['cg-agent', 'cg-catalog', 'cg-gateway', 'cg-site-content', 'cg-worker'];
    const { defaults } = rendered as { defaults: Resource[] };
    for (const kind of ['Deployment', 'PodDisruptionBudget', 'HorizontalPodAutoscaler', 'NetworkPolicy'])
      expect(of(defaults, kind).map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(components));
    for (const { spec } of of(defaults, 'Deployment')) {
      const [{ livenessProbe, readinessProbe }] = spec.template.spec.containers;
      expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(['/healthz', '/readyz']);
    }
    const [{ metadata }] = of(defaults, 'Job');
    expect(metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
  });

  test('every process trusts the authorities of the values', () => {
    const trusted = ({ spec: { template } }: Resource) => {
      const [{ env, volumeMounts }] = template.spec.containers;
      const file = env.find(({ name }: { name: string }) => name === 'NODE_EXTRA_CA_CERTS')?.value;
      const mount = volumeMounts.find(({ mountPath }: { mountPath: string }) => file?.startsWith(`${mountPath}/`));
      return template.spec.volumes.find(({ name }: { name: string }) => name === mount?.name)?.configMap.name;
    };
    const trustedIn = (resources: Resource[]) => [...of(resources, 'Deployment'), ...of(resources, 'Job')].map(trusted);
    expect(trustedIn(rendered.placed!)).toEqual(Array(6).fill('our-authorities'));
    expect(trustedIn(rendered.defaults!)).toEqual(Array(6).fill(undefined));
  });

  test('a pod gets enough time to leave the service and to finish its requests', () => {
    for (const { spec } of of(rendered.defaults!, 'Deployment')) {
      const { containers, terminationGracePeriodSeconds } = spec.template.spec;
      const delay = containers[0].env.find(({ name }: { name: string }) => name === 'SHUTDOWN_DELAY')?.value ?? 0;
      const { periodSeconds, failureThreshold } = containers[0].readinessProbe;
      expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(delay) + 20);
      if (delay) expect(Number(delay)).toBeGreaterThan(periodSeconds * failureThreshold);
    }
  });

  test('the forms that a gateway accepts fit its volume', () => {
    const budgets = ['defaults', 'tuned'].map((name) => {
      const { spec } = of(rendered[name]!, 'Deployment').find(({ metadata }) => metadata.name === 'cg-gateway');
      return spec.template.spec.containers[0].env.find((each: { name: string }) => each.name === 'UPLOAD_BUDGET').value;
    });
    expect(budgets).toEqual([environment.UPLOAD_BUDGET.default, String(1.5 * 2 ** 30)]);
  });

  test('values that cannot work are refused', async () => {
    for (const value of [
      'image.tag=latest',
      'ingress.enabled=true',
      'components.worker.replica=3',
      'temporal.address=temporal',
      'defaults.tmpSize=large',
    ])
      expect([value, (await render([value])).code]).toEqual([value, 1]);
  });
});
