import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { runCommand } from './command.ts';
import { runUv, type Shell } from './uv.ts';

/** What is told of a run of uv that says this and fails. */
async function toldOf(said: string): Promise<string> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-uv-'));
  const program = path.join(directory, 'uv');
  fs.writeFileSync(program, `#!/bin/sh\ncat >&2 <<'END'\n${said}\nEND\nexit 2\n`, { mode: 0o755 });
  const { signal } = new AbortController();
  const shell: Shell = { signal, run: (command) => runCommand(command, { signal, onLine: () => {} }), note: () => {} };
  const settings = { program: async () => program, mayBuild: true };
  try {
    await runUv(settings, shell, { args: ['sync'], directory, timeoutSeconds: 10 });
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

it('names that uv will change one day do not stand before the reason of a failure', async () => {
  const said = [
    'warning: The `UV_NATIVE_TLS` environment variable is deprecated and will be removed. Use `UV_SYSTEM_CERTS` instead.',
    'warning: The `tool.uv.dev-dependencies` field is deprecated',
    '  Use `dependency-groups.dev` instead.',
    'warning: `numpy` is yanked',
    'error: The disk costs $& and is full',
    '  cause: no space left',
  ].join('\n');
  assert.equal(
    await toldOf(said),
    'uv sync failed: warning: `numpy` is yanked\nerror: The disk costs $& and is full\n  cause: no space left\n' +
      'Free some space and sync again.',
  );
});

it('a failure of which uv said nothing else keeps what it said', async () => {
  assert.equal(await toldOf('warning: `--pip` is deprecated'), 'uv sync failed: warning: `--pip` is deprecated');
});
