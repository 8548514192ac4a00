// A file on its way: how far it is, or what it waits for.
import { useNotebook } from '../notebook/context.ts';
import type { Upload } from '../notebook/uploads.ts';
import { Button, IconButton, Message, Progress } from '../ui/index.ts';

export function UploadRow({ upload }: { upload: Upload }) {
  const { uploads } = useNotebook();
  const { id, file, part, state, problem, stop } = upload;
  const dismiss = () => uploads.store.send({ kind: 'gone', id });
  if (state === 'sending')
    return (
      <li className="upload-row">
        <span>{file.name}</span>
        <small>{Math.floor(part * 100)} %</small>
        <IconButton icon="close" label={`Stop the upload of ${file.name}`} size={14} onClick={() => stop.abort()} />
        <Progress value={part} label={`Upload of ${file.name}`} />
      </li>
    );
  return (
    <li className="upload-answer">
      {state === 'taken' ? (
        <Message
          tone="stale"
          action={
            <>
              <Button onClick={() => uploads.replace(upload)}>Replace</Button>
              <Button look="quiet" onClick={dismiss}>
                Keep the old one
              </Button>
            </>
          }
        >
          There is a file {file.name} already. Cells that have read it keep their results until they run again without
          the cache.
        </Message>
      ) : (
        <Message tone="error" action={<IconButton icon="close" label={`Dismiss ${file.name}`} onClick={dismiss} />}>
          {file.name}: {problem}
        </Message>
      )}
    </li>
  );
}
