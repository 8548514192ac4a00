// Every way to show a notebook to somebody: a link for colleagues, the reading view, a result for everybody, a snapshot to send.
import { useEffect, useState } from 'react';
import { escapeMarkup } from '../../../src/escapeMarkup.ts';
import { serverConfig } from '../api/index.ts';
import { useNotebook } from '../notebook/context.ts';
import { exportNotebook } from '../notebook/exporting.ts';
import { appHash, notebookHash, withPath } from '../route.ts';
import { Button, Dialog } from '../ui/index.ts';
import { CopyButton, Link } from './Link.tsx';
import { PublishResult } from './PublishResult.tsx';
import './share.css';

export function ShareDialog({ onClose }: { onClose: () => void }) {
  const { sessionId, store } = useNotebook();
  const { path, name } = store.get();
  const here = (hash: string): string => new URL(withPath(hash, path), document.baseURI).toString();
  const app = here(appHash(sessionId));
  return (
    <Dialog title="Share" onClose={onClose} wide>
      <div className="share">
        <section>
          <Link
            label="Link to this notebook"
            hint="For people who may use this server. It lasts: it names the notebook by its path."
            value={here(notebookHash(sessionId))}
          />
        </section>
        <section>
          <Link
            label="Link to the reading view"
            hint="Notes, widgets and results, without code; nobody edits there."
            value={app}
          />
          <CopyButton text={embedOf(here(`${appHash(sessionId)}?embed=1`), name)}>Copy HTML to embed it</CopyButton>
          <EmbedPlaces />
        </section>
        <PublishResult />
        <section>
          <h3>Snapshot</h3>
          <p>A file with cells, environment and results, for another server or an archive.</p>
          <Button onClick={() => exportNotebook(sessionId, 'snapshot&include=all')}>Save a snapshot</Button>
        </section>
      </div>
    </Dialog>
  );
}

/** A browser shows nothing of a frame that its server does not allow, and says little about why. */
function EmbedPlaces() {
  const [origins, setOrigins] = useState<readonly string[]>([everywhere]);
  useEffect(() => {
    let isGone = false;
    void serverConfig().then(
      (config) => isGone || setOrigins(config.embed_origins),
      () => {}, // what is not known is not said
    );
    return () => {
      isGone = true;
    };
  }, []);
  if (origins.includes(everywhere)) return null;
  return (
    <p className="share-note">
      {origins.length === 0
        ? 'Only pages of this server may show it. Whoever runs it allows others with SVC_EMBED_FRAME_ANCESTORS.'
        : `Pages of this server and of ${origins.join(', ')} may show it.`}
    </p>
  );
}

const everywhere = '*';

/** A frame that is as tall as what it shows; only what it says itself of its height is believed, and each frame of a page has its own. */
const embedOf = (source: string, name: string): string =>
  `<iframe src="${escapeMarkup(source)}" title="${escapeMarkup(name)}" style="width:100%;border:0"></iframe>
<script>
  {
    const frame = document.currentScript.previousElementSibling;
    addEventListener('message', ({ source, origin, data }) => {
      if (source !== frame.contentWindow || origin !== ${JSON.stringify(new URL(source).origin)}) return;
      if (data?.type === 'svc:embed:resize') frame.style.height = data.height + 'px';
    });
  }
</script>
`;
