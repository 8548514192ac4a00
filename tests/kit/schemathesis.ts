// Schemathesis at a server's door: requests made up from the server's own description, answers held against it.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from './pythonEnvironment.ts';

export interface Fuzzing {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parameters of paths that name something which is there. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Operations that are left out, by their method and path. */
  readonly without: RegExp;
  /** `coverage`: requests at the edges of each schema; `fuzzing`: so many more that are made up; or both. */
  readonly phases: string;
  readonly examples: number;
  readonly seed: number;
}

/** Those that say whether answers are as described stay on; these guess what a server should accept or refuse. */
const otherChecks = [
  'negative_data_rejection',
  'positive_data_acceptance',
  'missing_required_header',
  'unsupported_method',
  'allow_header_conformance',
  'use_after_free',
  'ensure_resource_availability',
  'ignored_auth',
  'object_level_authorization',
];

export const schemathesis = (note: (line: string) => void): Promise<string> =>
  pythonEnvironment(
    'test-schemathesis',
    fileURLToPath(new URL('./schemathesis-requirements.txt', import.meta.url)),
    note,
  );

/** What it reports; green when nothing failed. */
export async function fuzz(
  programs: string,
  { address, headers, fixed, without, phases, examples, seed }: Fuzzing,
): Promise<{ isGreen: boolean; report: string }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-fuzz-'));
  const config = path.join(folder, 'schemathesis.toml');
  const entries = (values: Readonly<Record<string, string>>, prefix = ''): string =>
    Object.entries(values)
      .map(([name, value]) => `"${prefix}${name}" = ${JSON.stringify(value)}\n`)
      .join('');
  fs.writeFileSync(
    config,
    `base-url = ${JSON.stringify(address)}
[parameters]
${entries(fixed, 'path.')}[headers]
${entries(headers)}[checks]
${otherChecks.map((name) => `${name}.enabled = false\n`).join('')}[[operations]]
include-name-regex = ${JSON.stringify(without.source)}
enabled = false
# Formats of oEmbed that a server does not have are 501, as oEmbed says.
[[operations]]
include-path = "/oembed"
checks.not_a_server_error.enabled = false
`,
  );
  const options = ['--phases', phases, '--request-timeout', '30'];
  const bounds = ['-n', String(examples), '--seed', String(seed), '--continue-on-failure', '--no-shrink'];
  const child = spawn(
    path.join(programs, 'schemathesis'),
    ['--config-file', config, 'run', `${address}/openapi.json`, ...options, ...bounds, '--warnings', 'off'],
    // Examples that it would keep for next time.
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NO_COLOR: '1' } },
  );
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const report = await text(child.stdout);
  const isGreen = (await ended) === 0;
  fs.rmSync(folder, { recursive: true, force: true });
  return { isGreen, report };
}
