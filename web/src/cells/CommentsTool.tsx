// What people say about a cell: read, answered, resolved. It lies beside the notebook, and everybody sees it at once.
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { CommentRecord, CommentsBody } from '../../../src/protocol/index.ts';
import {
  addComment,
  editComment,
  messageOf,
  readComments,
  removeComment,
  resolveComment,
  restoreComment,
} from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { ago } from '../state/index.ts';
import { Button, focusBack, IconButton, Message } from '../ui/index.ts';
import './comments.css';
import './tools.css';
import { useEntered } from './useEntered.ts';

export function CommentsTool({ cellId }: { cellId: string }) {
  const { sessionId, store, view, isReadOnly } = useNotebook();
  const all = useModel((model) => model.comments);
  const [problem, setProblem] = useState<string | null>(null);
  const comments = all.filter((one) => one.cell_id === cellId);
  const draft = `${sessionId} ${cellId}`;
  const field = useRef<HTMLTextAreaElement>(null);
  // Who opens comments that are there wants to read them.
  useEntered(cellId, field, comments.length === 0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, when it is opened
  useEffect(() => void change(readComments(sessionId)), [sessionId]);

  async function change(answer: Promise<CommentsBody>): Promise<boolean> {
    try {
      const { comments: now } = await answer;
      store.send({ kind: 'commented', comments: now });
      setProblem(null);
      return true;
    } catch (error) {
      setProblem(messageOf(error));
      return false;
    }
  }

  const add = (text: string): Promise<boolean> => change(addComment(sessionId, cellId, text));

  return (
    <section ref={focusBack} className="tool" aria-label="Comments">
      <header>
        <span>Comments</span>
        <IconButton icon="close" label="Close" onClick={() => view.send({ kind: 'tool', cellId, tool: null })} />
      </header>
      {problem !== null && <Message tone="error">{problem}</Message>}
      {comments.length === 0 && <p className="tool-none">No comments yet.</p>}
      <ul className="comments">
        {comments.map((comment) => (
          <Comment key={comment.id} comment={comment} onChange={isReadOnly ? null : change} />
        ))}
      </ul>
      {!isReadOnly && <Writing label="A comment" draft={draft} button="Comment" field={field} onSay={add} />}
    </section>
  );
}

function Comment(props: {
  comment: CommentRecord;
  onChange: ((answer: Promise<CommentsBody>) => Promise<boolean>) | null;
}) {
  const { comment, onChange } = props;
  const { sessionId, undo } = useNotebook();
  const you = useModel((model) => model.presence.you);
  const [isEditing, setEditing] = useState(false);
  const { id, author, text, created_at, edited_at, resolved_by } = comment;
  const isOpen = resolved_by === null;
  // Alone on a personal server one has no name but that.
  const isOwn = author === (you || 'local');

  async function edit(next: string): Promise<boolean> {
    if (!(await onChange?.(editComment(sessionId, id, next)))) return false;
    setEditing(false);
    undo.did(
      'editing a comment',
      () => editComment(sessionId, id, text),
      () => editComment(sessionId, id, next),
    );
    return true;
  }

  function remove(): void {
    void undo.inTurn(async () => {
      if (!(await onChange?.(removeComment(sessionId, id)))) return;
      undo.did(
        'deleting a comment',
        () => restoreComment(sessionId, id),
        () => removeComment(sessionId, id),
      );
    });
  }
  return (
    <li className={isOpen ? '' : 'resolved'}>
      <p className="comment-head">
        <strong>{author === 'local' ? 'Somebody here' : author}</strong> {ago(created_at * 1000)}
        {edited_at !== undefined && ', edited'}
        {!isOpen && `, resolved${resolved_by === 'local' ? '' : ` by ${resolved_by}`}`}
      </p>
      {isEditing ? (
        <Writing label="The comment" first={text} button="Save" onSay={edit} onLeave={() => setEditing(false)} />
      ) : (
        <p className="comment-text">{text}</p>
      )}
      {onChange && !isEditing && (
        <p className="comment-actions">
          <button
            type="button"
            className="text-button"
            onClick={() => void onChange(resolveComment(sessionId, id, isOpen))}
          >
            {isOpen ? 'Resolve' : 'Open again'}
          </button>
          {isOwn && (
            <button type="button" className="text-button" onClick={() => setEditing(true)}>
              Edit
            </button>
          )}
          <button type="button" className="text-button" onClick={remove}>
            Delete
          </button>
        </p>
      )}
    </li>
  );
}

/** What somebody has begun to say stays when the comments are closed, or when their cell goes and comes back. */
const begun = new Map<string, string>();

interface WritingProps {
  readonly label: string;
  readonly button: string;
  /** Under which what was begun is kept. */
  readonly draft?: string;
  readonly first?: string;
  readonly field?: RefObject<HTMLTextAreaElement | null>;
  /** False where it was not taken. */
  readonly onSay: (text: string) => Promise<boolean>;
  readonly onLeave?: () => void;
}

function Writing({ label, button, draft, first = '', field, onSay, onLeave }: WritingProps) {
  const [text, setText] = useState((draft === undefined ? undefined : begun.get(draft)) ?? first);
  const [isSaying, setSaying] = useState(false);
  function write(next: string): void {
    setText(next);
    if (draft !== undefined) begun.set(draft, next);
  }
  async function say(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (text.trim() === '' || isSaying) return;
    setSaying(true);
    const isTaken = await onSay(text);
    setSaying(false);
    if (!isTaken) return;
    // What was typed while it was under way is the beginning of the next one.
    const rest = (now: string): string => (now.startsWith(text) ? now.slice(text.length) : now);
    setText(rest);
    if (draft !== undefined) begun.set(draft, rest(begun.get(draft) ?? ''));
  }
  return (
    <form onSubmit={(event) => void say(event)}>
      <textarea
        ref={field}
        className="input"
        rows={2}
        aria-label={label}
        placeholder="A question, a hint, a decision"
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onLeave?.();
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault(); // elsewhere it runs the cell
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <p className="comment-actions">
        <Button type="submit" disabled={text.trim() === ''}>
          {button}
        </Button>
        {onLeave && (
          <Button look="quiet" onClick={onLeave}>
            Cancel
          </Button>
        )}
      </p>
    </form>
  );
}
