// The job that changes the environment now or did last, and those that wait behind it.
import type { EnvironmentJob } from '../../../../src/protocol/index.ts';
import { cancelJob, messageOf, takeBackJob } from '../../api/index.ts';
import { useModel, useNotebook } from '../../notebook/context.ts';
import { ago, duration } from '../../state/index.ts';
import { Button, IconButton, Progress } from '../../ui/index.ts';

const shownFailures = 3;

export function Jobs() {
  const { sessionId, store } = useNotebook();
  const job = useModel((model) => model.job);
  const queue = useModel((model) => model.jobQueue);
  const tell = (error: unknown): void => store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' });
  const history = useModel((model) => model.jobHistory);
  const failed = history.filter(({ id, status }) => status === 'failed' && id !== job?.id).slice(0, shownFailures);
  const isBusy = job?.status === 'running';
  return (
    <>
      {queue.length > 0 && (
        <>
          <h3>Waiting</h3>
          <ul className="rows" aria-label="Waiting">
            {queue.map(({ id, label }) => (
              <li key={id} className="package">
                <span>{label}</span>
                <small>in line</small>
                <IconButton
                  icon="close"
                  size={12}
                  label={`Cancel ${label}`}
                  onClick={() => void takeBackJob(sessionId, id).catch(tell)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      {job && (
        <>
          <h3>{isBusy ? 'Running' : 'Last job'}</h3>
          <p className="panel-note">
            <code>{job.command}</code> · {isBusy ? phaseOf(job) : job.status}
            {job.duration_ms !== null && ` in ${duration(job.duration_ms)}`}
          </p>
          {isBusy && (
            <div className="job-running">
              <Progress value={null} label="Environment job" />
              <Button look="quiet" onClick={() => void cancelJob(sessionId).catch(tell)}>
                Cancel
              </Button>
            </div>
          )}
          <Log job={job} />
        </>
      )}
      {failed.length > 0 && (
        <>
          <h3>Failed before</h3>
          {failed.map((one) => (
            <details key={one.id}>
              <summary className="panel-note">
                <code>{one.command}</code> · {ago(one.started_at)}
              </summary>
              <Log job={one} />
            </details>
          ))}
        </>
      )}
    </>
  );
}

function Log({ job }: { job: EnvironmentJob }) {
  const text = `${job.stdout}${job.stderr}` || job.error;
  if (!text) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it
    <section className="job-log" aria-label={`Output of ${job.command}`} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  );
}

/** Every job begins with the word for uv, also one of R. */
const phaseOf = ({ phase, command }: { readonly phase: string; readonly command: string }): string =>
  phase === 'uv_running' && !command.startsWith('uv ') ? 'running' : phase.replaceAll('_', ' ');
