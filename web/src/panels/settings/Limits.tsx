// What the operator of this server allows: it is shown here and changed in the settings of the server.
import { type ReactNode, useEffect, useState } from 'react';
import { messageOf, readCellLimits, readTimeouts } from '../../api/index.ts';
import { bytes, duration } from '../../state/index.ts';
import { Message } from '../../ui/index.ts';

type Timeouts = Awaited<ReturnType<typeof readTimeouts>>;
type CellLimit = Awaited<ReturnType<typeof readCellLimits>>['limits'][number];

const timeouts: readonly (readonly [words: string, setting: string, seconds: (limits: Timeouts) => number])[] = [
  ['Plan of a table', 'SVC_PLAN_TIMEOUT_SECONDS', ({ planning }) => planning.plan_timeout_seconds],
  ['Scan of a table', 'SVC_SCAN_TIMEOUT_SECONDS', ({ scanning }) => scanning.scan_timeout_seconds],
  ['Fetch of a page', 'SVC_FETCH_TIMEOUT_SECONDS', ({ fetching }) => fetching.fetch_timeout_seconds],
  ['Wait of a small query', 'SVC_INTERACTIVE_QUEUE_TIMEOUT', ({ qos_queue }) => qos_queue.interactive_queue_timeout],
  ['Wait of a large query', 'SVC_BULK_QUEUE_TIMEOUT', ({ qos_queue }) => qos_queue.bulk_queue_timeout],
  ['Answer of an object store', 'SVC_S3_REQUEST_TIMEOUT_SECONDS', ({ s3 }) => s3.s3_request_timeout_seconds],
];

const megabytes = (count: number): string => bytes(count * 1024 * 1024);
const counted = (count: number): string => count.toLocaleString('en');

const cellWords: Readonly<Record<string, readonly [words: string, shown: (value: number) => string]>> = {
  SVC_NOTEBOOK_CELL_MEMORY_MB: ['Memory', megabytes],
  SVC_NOTEBOOK_CELL_FILE_MB: ['Size of a file', megabytes],
  SVC_NOTEBOOK_CELL_OPEN_FILES: ['Open files', counted],
  SVC_NOTEBOOK_CELL_PROCESSES: ['Processes, all cells', counted],
  SVC_NOTEBOOK_CELL_NICENESS: ['Niceness when busy', String],
};

interface Read {
  readonly timeouts: Timeouts;
  readonly cells: readonly CellLimit[];
}

export function Limits() {
  const [read, setRead] = useState<Read | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    Promise.all([readTimeouts(leaving.signal), readCellLimits(leaving.signal)]).then(
      ([found, { limits }]) => setRead({ timeouts: found, cells: limits }),
      (error: unknown) => leaving.signal.aborted || setProblem(messageOf(error)),
    );
    return () => leaving.abort();
  }, []);
  if (problem !== null) return <Message tone="error">{problem}</Message>;
  if (read === null) return null;
  return (
    <>
      <Group title="What a cell may take">
        {read.cells.map((limit) => (
          <OfCells key={limit.setting} limit={limit} />
        ))}
      </Group>
      <Group title="How long tables may take">
        {timeouts.map(([words, setting, seconds]) => (
          <Fact key={setting} words={words} setting={setting} value={duration(seconds(read.timeouts) * 1000)} />
        ))}
      </Group>
      <p className="panel-note">The operator of this server sets them, by these names.</p>
    </>
  );
}

const Group = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="setting">
    <h4>{title}</h4>
    <dl className="facts limits" aria-label={title}>
      {children}
    </dl>
  </section>
);

function OfCells({ limit: { setting, value, is_default, meaning } }: { limit: CellLimit }) {
  const [words, shown] = cellWords[setting] ?? [setting, counted];
  return (
    <Fact
      words={words}
      setting={setting}
      meaning={meaning}
      value={value === null ? 'no limit' : shown(value)}
      isSet={!is_default}
    />
  );
}

interface FactProps {
  readonly words: string;
  readonly setting: string;
  readonly meaning?: string;
  readonly value: string;
  readonly isSet?: boolean;
}

const Fact = ({ words, setting, meaning, value, isSet = false }: FactProps) => (
  <>
    <dt title={meaning}>
      {words}
      <code>{setting}</code>
    </dt>
    <dd>{isSet ? <strong title="Not the default">{value}</strong> : value}</dd>
  </>
);
