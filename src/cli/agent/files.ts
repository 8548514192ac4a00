// What tells an agent in a notebook's directory where the notebook is served and how to work in it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { writeAtomically } from '../../notebook/index.ts';

const [start, end] = ['<!-- svc:agent:start -->', '<!-- svc:agent:end -->'];

const guidance = (server: string, sessionId: string): string => `${start}
## This directory is a live notebook

Work in it with the tools of the MCP server \`svc-notebook\` (${server}/mcp/), session \`${sessionId}\`; do not edit the files
in \`cells/\` while it is open.

- \`get_notebook\` and \`status\` show what is there; \`run_snippet\` adds a cell and runs it.
- Cells are wired by the names they define and read. A name is defined by one cell only.
- Results are kept: a cell that did not change is not run again.
- Say what you are about to do with \`note\`: a person watches.
${end}`;

export async function writeAgentFiles(directory: string, server: string, sessionId: string): Promise<void> {
  // The trailing slash matters: a redirect from /mcp loses the body of a POST in common clients.
  const config = { mcpServers: { 'svc-notebook': { type: 'http', url: `${server}/mcp/` } } };
  await writeAtomically(path.join(directory, '.mcp.json'), `${JSON.stringify(config, null, 2)}\n`);
  const file = path.join(directory, 'CLAUDE.md');
  const before = await fs.readFile(file, 'utf8').catch(() => '');
  await writeAtomically(file, withGuidance(before, guidance(server, sessionId)));
}

/** Replaces what stands between the markers; everything else stays as it is. */
export function withGuidance(text: string, block: string): string {
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from >= 0 && to > from) return text.slice(0, from) + block + text.slice(to + end.length);
  return text === '' ? `${block}\n` : `${text.trimEnd()}\n\n${block}\n`;
}
