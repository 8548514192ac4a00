// The job that changes the environment now or did last, and those that wait behind it.
import { cancelJob, messageOf, takeBackJob } from '../../api/index.ts';
import { useModel, useNotebook } from '../../notebook/context.ts';
import { duration } from '../../state/index.ts';
import { Button, IconButton, Progress } from '../../ui/index.ts';

export function Jobs() {
  const { sessionId, store } = useNotebook();
  const job = useModel((model) => model.job);
  const queue = useModel((model) => model.jobQueue);
  const tell = (error: unknown): void => store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' });
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
            <code>{job.command}</code> · {isBusy ? job.phase.replaceAll('_', ' ') : job.status}
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
          {(job.stderr || job.stdout) && <pre className="job-log">{`${job.stdout}${job.stderr}`}</pre>}
        </>
      )}
    </>
  );
}
