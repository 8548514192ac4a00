// The words at the top: what the connection is like, and the one thing that is going on.
import { type NotebookModel, runningCell } from '../model/index.ts';
import { type Colour, plain, plainLines } from './lines.ts';

export function connectionText({ connection, closed }: NotebookModel): {
  readonly text: string;
  readonly colour: Colour;
} {
  switch (connection) {
    case 'live':
      return { text: 'connected', colour: 'green' };
    case 'connecting':
      return { text: 'connecting…', colour: 'yellow' };
    case 'offline':
      return { text: 'reconnecting…', colour: 'yellow' };
    case 'closed':
      return { text: `session closed (${plain(closed?.reason ?? '')}) · r to reopen`, colour: 'red' };
  }
}

export function bannerText(model: NotebookModel): string {
  const { job, runProgress, cascades, reads, agentNotes, environment } = model;
  if (job && job.status === 'running') {
    const last = plainLines(`${job.stdout}\n${job.stderr}`.trim()).at(-1) ?? '';
    return `environment: ${plain(job.command)} · ${last || plain(job.phase)}`;
  }
  if (runProgress && runningCell(model)) return `running ${runProgress.completed}/${runProgress.total}`;
  if (cascades.length > 0 || reads) return 'a run waits for an answer in the page';
  if (environment.sync_state === 'failed') return 'the environment is not ready';
  const note = agentNotes.at(-1);
  if (note) return `${plain(note.source)}: ${plain(note.text)}`;
  const { sync_state, sync_notice } = environment;
  return sync_state === 'ready' && typeof sync_notice === 'string' ? plain(sync_notice) : '';
}
