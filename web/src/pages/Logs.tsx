// The server's log, newest at the end, followed while it grows.
import { useEffect, useRef, useState } from 'react';
import type { LogEntry } from '../../../src/protocol/index.ts';
import { messageOf, readLogs } from '../api/index.ts';
import { Button, Chip, Message } from '../ui/index.ts';
import { Shell } from './Shell.tsx';
import './logs.css';

const kept = 1000;
const pauseMilliseconds = 1500;
/** Nearer to the end than this is at it. */
const nearPixels = 40;

const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** By the clock of whoever reads; pointed at, by that of the world. */
function LocalTime({ seconds }: { seconds: number }) {
  const moment = new Date(seconds * 1000);
  const said = `${moment.toLocaleString('sv-SE')}.${String(moment.getMilliseconds()).padStart(3, '0')}`;
  return (
    <time dateTime={moment.toISOString()} title={moment.toISOString()}>
      {said}
    </time>
  );
}

export function LogsPage() {
  const [level, setLevel] = useState('');
  const [pattern, setPattern] = useState('');
  const [isFollowing, setFollowing] = useState(true);
  const [entries, setEntries] = useState<readonly LogEntry[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const end = useRef<HTMLDivElement>(null);
  const isPaused = useRef(false);
  /** Whoever has scrolled up reads there. */
  const isAtEnd = useRef(true);

  useEffect(() => {
    document.title = 'Logs';
    const look = (): void => {
      isAtEnd.current = (end.current?.getBoundingClientRect().bottom ?? 0) < window.innerHeight + nearPixels;
    };
    window.addEventListener('scroll', look, true);
    return () => window.removeEventListener('scroll', look, true);
  }, []);

  useEffect(() => {
    const gone = new AbortController();
    let since = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    isAtEnd.current = true;
    setEntries([]);
    async function look(): Promise<void> {
      try {
        const body = await readLogs({ level, regex: pattern, since }, gone.signal);
        since = body.cursor;
        if (body.entries.length > 0) setEntries((before) => [...before, ...body.entries].slice(-kept));
        setProblem(null);
      } catch (error) {
        if (!gone.signal.aborted) setProblem(messageOf(error));
      }
      if (!gone.signal.aborted) later();
    }
    function later(): void {
      timer = setTimeout(() => (isPaused.current ? later() : void look()), pauseMilliseconds);
    }
    timer = setTimeout(() => void look(), 150);
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [level, pattern]);

  useEffect(() => {
    if (isFollowing && isAtEnd.current && entries.length > 0) end.current?.scrollIntoView({ block: 'end' });
  }, [entries, isFollowing]);

  return (
    <Shell>
      <div className="shell-head">
        <h1>Logs</h1>
        <div className="shell-actions">
          <select className="input" aria-label="Level" value={level} onChange={(event) => setLevel(event.target.value)}>
            <option value="">every level</option>
            {['debug', 'info', 'warning', 'error'].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <input
            className="input mono"
            aria-label="Pattern of the message"
            placeholder="pattern"
            value={pattern}
            onChange={(event) => setPattern(event.target.value)}
          />
          <Button
            aria-pressed={isFollowing}
            onClick={() => {
              isPaused.current = isFollowing;
              isAtEnd.current = true;
              setFollowing(!isFollowing);
            }}
          >
            {isFollowing ? 'Pause' : 'Follow'}
          </Button>
        </div>
      </div>
      {problem !== null && <Message tone="error">{problem}</Message>}
      {entries.length === 0 && problem === null && <p className="home-none">No matches yet.</p>}
      <ol className="logs">
        {entries.map((entry) => (
          <li key={entry.cursor}>
            <LocalTime seconds={entry.timestamp} />
            <Chip tone={entry.level === 'error' ? 'error' : entry.level === 'warning' ? 'stale' : 'plain'}>
              {entry.level}
            </Chip>
            <span>
              {entry.message} {entry.method} {entry.path} {wordOf(entry.status)} {entry.exception}
            </span>
            <small>{entry.logger}</small>
          </li>
        ))}
      </ol>
      <div ref={end} />
    </Shell>
  );
}
