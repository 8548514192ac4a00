// The files that bring a server to other machines say nothing that this version does not know.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { validate } from 'dockerfile-utils';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../scripts/setup/places.js';
import { loadSettings } from '../src/settings/index.ts';
import { needProgram } from './kit/parts.ts';
import { pythonEnvironment } from './kit/pythonEnvironment.ts';

const read = (name: string): string => fs.readFileSync(path.join(root, 'deploy', name), 'utf8');

interface Service {
  readonly image?: string;
  readonly build?: object;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: readonly string[] | Readonly<Record<string, object>>;
  readonly volumes?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

describe('deployment', () => {
  it('has a Dockerfile that a linter has nothing to say about', () => {
    assert.deepEqual(validate(read('Dockerfile')), []);
  });

  for (const [file, servers] of [
    ['compose.yaml', ['server']],
    ['compose.servers.yaml', ['first', 'second']],
  ] as const)
    it(`has a ${file} whose services, volumes and settings exist`, () => holdsTogether(file, servers));
});

function holdsTogether(file: string, servers: readonly string[]): void {
  const { services, volumes }: Compose = parse(read(file), { merge: true });
  const secrets = Object.fromEntries(
    read('example.env')
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => line.split('=')),
  );
  for (const [name, { depends_on: needed = [], volumes: mounted = [], environment = {} }] of Object.entries(services)) {
    for (const other of Array.isArray(needed) ? needed : Object.keys(needed))
      assert.ok(other in services, `${name} needs ${other}`);
    for (const volume of mounted) assert.ok((volume.split(':')[0] ?? '') in volumes, `${name} mounts ${volume}`);
    for (const value of Object.values(environment))
      for (const [, secret = ''] of value.matchAll(/\$\{(\w+):\?\}/g))
        assert.ok(secret in secrets, `${name} uses ${secret}`);
  }
  for (const server of servers) {
    const given = Object.entries(services[server]?.environment ?? {}).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+):\?\}/g, (_, secret: string) => secrets[secret] ?? ''),
    ]);
    const env = { ...Object.fromEntries(given), HOME: '/data' };
    const { settings, warnings } = loadSettings({ env, cwd: '/' });
    assert.deepEqual([warnings, settings.deploymentMode, settings.artifactBlobBackend], [[], 'service', 's3']);
  }
}

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly serviceName: string;
    readonly selector: object;
    readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string } }[];
    readonly template: { readonly metadata: { readonly labels: object }; readonly spec: Pod };
  };
}

interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number };
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
}

interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
  }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

describe('deployment in Kubernetes', () => {
  const file = path.join(root, 'deploy/kubernetes.yaml');
  const resources = parseAllDocuments(read('kubernetes.yaml')).map((document): Resource => document.toJS());
  const named = (kind: string, name: string): Resource => {
    const found = resources.find((one) => one.kind === kind && one.metadata.name === name);
    assert.ok(found, `there is a ${kind} ${name}`);
    return found;
  };

  it('has a manifest that the schemas of Kubernetes accept, with no field that they do not know', async (t) => {
    const requirements = path.join(root, 'tests/kit/kubernetes-requirements.txt');
    const bin = await pythonEnvironment('test-kubernetes', requirements, (text) => t.diagnostic(text));
    const validator = path.join(bin, 'kubernetes-validate');
    const { stdout, stderr } = await promisify(execFile)(validator, ['--strict', file]);
    assert.equal(`${stdout}${stderr}`.match(/ passed for resource /g)?.length, resources.length, stdout + stderr);
  });

  it('names what is there: services, claims, keys of its secret, settings that the server knows', () => {
    const { spec } = named('StatefulSet', 'svc');
    const { containers, volumes, securityContext, terminationGracePeriodSeconds } = spec.template.spec;
    const [server] = containers;
    assert.ok(server);
    named('Service', spec.serviceName);
    const { labels } = spec.template.metadata;
    assert.deepEqual(spec.selector, { matchLabels: labels });
    for (const service of ['svc', 'svc-nodes']) assert.deepEqual(named('Service', service).spec.selector, labels);

    for (const { persistentVolumeClaim: claim } of volumes) if (claim) named('PersistentVolumeClaim', claim.claimName);
    const mountable = [
      ...volumes.map(({ name }) => name),
      ...spec.volumeClaimTemplates.map(({ metadata }) => metadata.name),
    ];
    assert.deepEqual(server.volumeMounts.map(({ name }) => name).toSorted(), mountable.toSorted());

    const [, user = ''] = /--uid (\d+)/.exec(read('Dockerfile')) ?? [];
    assert.deepEqual([securityContext.runAsNonRoot, securityContext.runAsUser], [true, Number(user)]);
    assert.ok(terminationGracePeriodSeconds >= 70);

    const made = [...read('kubernetes.yaml').matchAll(/--from-literal=([\w-]+)=/g)].map(([, key]) => key);
    const secrets = server.env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
    assert.deepEqual(secrets.map(({ key }) => key).toSorted(), made.toSorted());
    const values = server.env.map(({ name, value, valueFrom }) => [
      name,
      value?.replace('$(POD_NAME)', 'svc-0') ??
        (valueFrom?.secretKeyRef?.key === 'database' ? 'postgresql://d/svc' : 'x'),
    ]);
    const common = server.envFrom.map(({ configMapRef }) => named('ConfigMap', configMapRef.name).data);
    const env = { ...Object.assign({}, ...common), ...Object.fromEntries(values), HOME: '/data' };
    const { settings, warnings } = loadSettings({ env, cwd: '/' });
    assert.deepEqual(
      [warnings, settings.deploymentMode, settings.nodeAdvertisedUrl, settings.port, settings.artifactDir],
      [
        [],
        'service',
        'http://svc-0.svc-nodes:8765',
        server.ports[0]?.containerPort,
        server.volumeMounts.find(({ name }) => name === 'artifacts')?.mountPath,
      ],
    );
    assert.equal(settings.notebookStorageDir, server.volumeMounts.find(({ name }) => name === 'notebooks')?.mountPath);
  });
});

describe('deployment on a machine', () => {
  it('has a unit that systemd accepts', async (t) => {
    const program = needProgram(t, 'systemd-analyze', 'Debian: apt install systemd');
    if (program === undefined) return;
    const { stderr } = await promisify(execFile)(program, [
      'verify',
      '--man=no',
      path.join(root, 'deploy/svc.service'),
    ]);
    assert.doesNotMatch(stderr, /svc\.service/);
  });
});
