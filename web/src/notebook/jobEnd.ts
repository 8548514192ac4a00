// How a change of the packages ended.
import type { NotebookModel } from '../state/index.ts';
import type { NotebookSession } from './session.ts';

type Job = NonNullable<NotebookModel['job']>;

export function jobEnd({ store }: NotebookSession, jobId: string): Promise<Job> {
  return new Promise((resolve) => {
    const look = (): boolean => {
      const { job, jobHistory } = store.get();
      const ended = [job, ...jobHistory].find((one) => one?.id === jobId && one.status !== 'running');
      if (!ended) return false;
      resolve(ended);
      return true;
    };
    if (look()) return;
    const stop = store.subscribe(() => {
      if (look()) stop();
    });
  });
}
