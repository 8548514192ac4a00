// Short messages at the edge of the page; they go away by themselves, errors stay longer.
import { useEffect } from 'react';
import type { Notice } from '../state/index.ts';
import { Button, IconButton } from '../ui/index.ts';
import { commandOf } from './commands.ts';
import { useModel, useNotebook } from './context.ts';
import { isTheirs } from './rights.ts';
import './notices.css';

export function Notices() {
  const notices = useModel((model) => model.notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {notices.map((notice) => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function Toast({ notice }: { notice: Notice }) {
  const session = useNotebook();
  const { store } = session;
  const { id, tone } = notice;
  const named = notice.command === null ? undefined : commandOf(notice.command);
  const command = named && isTheirs(session, named) ? named : undefined;
  useEffect(() => {
    const timer = setTimeout(() => store.send({ kind: 'noticeGone', id }), tone === 'error' ? 9000 : 5000);
    return () => clearTimeout(timer);
  }, [store, id, tone]);
  return (
    <div className={`notice ${tone}`}>
      <span>{notice.text}</span>
      {command && (
        <Button
          look="quiet"
          onClick={() => {
            store.send({ kind: 'noticeGone', id });
            command.run(session);
          }}
        >
          {command.title}
        </Button>
      )}
      <IconButton icon="close" label="Dismiss" size={14} onClick={() => store.send({ kind: 'noticeGone', id })} />
    </div>
  );
}
