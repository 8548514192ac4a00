// What people say about a cell: read, answered, resolved. It lies beside the notebook, and everybody sees it at once.
import { type FormEvent, useEffect, useState } from 'react';
import type { CommentRecord, CommentsBody } from '../../../src/protocol/index.ts';
import { addComment, messageOf, readComments, removeComment, resolveComment, restoreComment } from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { ago } from '../state/index.ts';
import { Button, focusBack, IconButton, Message } from '../ui/index.ts';
import './comments.css';
import './tools.css';

export function CommentsTool({ cellId }: { cellId: string }) {
  const { sessionId, store, view, isReadOnly } = useNotebook();
  const all = useModel((model) => model.comments);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const comments = all.filter((one) => one.cell_id === cellId);

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

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (text.trim() !== '' && (await change(addComment(sessionId, cellId, text)))) setText('');
  }

  return (
    <section ref={focusBack} className="tool" aria-label="Comments">
      <header>
        <span>Comments</span>
        <IconButton icon="close" label="Close" onClick={() => view.send({ kind: 'tool', cellId, tool: null })} />
      </header>
      {problem !== null && <Message tone="error">{problem}</Message>}
      {comments.length === 0 && <p className="tool-none">Nobody has said anything about this cell.</p>}
      <ul className="comments">
        {comments.map((comment) => (
          <Comment key={comment.id} comment={comment} onChange={isReadOnly ? null : change} />
        ))}
      </ul>
      {!isReadOnly && (
        <form onSubmit={(event) => void add(event)}>
          <textarea
            className="input"
            rows={2}
            aria-label="A comment"
            placeholder="A question, a hint, a decision"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault(); // elsewhere it runs the cell
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <Button type="submit" disabled={text.trim() === ''}>
            Comment
          </Button>
        </form>
      )}
    </section>
  );
}

function Comment(props: {
  comment: CommentRecord;
  onChange: ((answer: Promise<CommentsBody>) => Promise<boolean>) | null;
}) {
  const { comment, onChange } = props;
  const { sessionId, undo } = useNotebook();
  const { id, author, text, created_at, resolved_by } = comment;
  const isOpen = resolved_by === null;
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
        {!isOpen && `, resolved${resolved_by === 'local' ? '' : ` by ${resolved_by}`}`}
      </p>
      <p className="comment-text">{text}</p>
      {onChange && (
        <p className="comment-actions">
          <button
            type="button"
            className="text-button"
            onClick={() => void onChange(resolveComment(sessionId, id, isOpen))}
          >
            {isOpen ? 'Resolve' : 'Open again'}
          </button>
          <button type="button" className="text-button" onClick={remove}>
            Delete
          </button>
        </p>
      )}
    </li>
  );
}
