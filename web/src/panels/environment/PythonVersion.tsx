// The version of Python that the notebook runs with; another one builds its environment anew.
import { useEffect, useState } from 'react';
import { changePython, messageOf, serverConfig } from '../../api/index.ts';
import { useModel, useNotebook } from '../../notebook/context.ts';
import { Message } from '../../ui/index.ts';
import { isDone } from './changing.ts';

export function PythonVersion() {
  const session = useNotebook();
  const { sessionId, undo } = session;
  const requested = useModel(({ environment }) => String(environment.requested_python_version ?? ''));
  const isBusy = useModel(({ job }) => job?.status === 'running');
  const [offered, setOffered] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    serverConfig().then(
      ({ available_python_versions }) => setOffered(available_python_versions),
      () => {}, // the version that is there is shown without others
    );
  }, []);
  async function change(version: string): Promise<void> {
    setProblem(null);
    try {
      const { environment_job: job } = await changePython(sessionId, version);
      if (job && !(await isDone(session, job.id))) return;
      undo.did(
        `changing to Python ${version}`,
        () => changePython(sessionId, requested),
        () => changePython(sessionId, version),
      );
    } catch (error) {
      setProblem(messageOf(error));
    }
  }
  return (
    <>
      <label className="python-version">
        <span>Python</span>
        <select
          className="input"
          disabled={isBusy || offered.length < 2}
          value={requested}
          onChange={(event) => void change(event.target.value)}
        >
          {[...new Set([requested, ...offered])].map((version) => (
            <option key={version}>{version}</option>
          ))}
        </select>
      </label>
      {problem !== null && <Message tone="error">{problem}</Message>}
    </>
  );
}
