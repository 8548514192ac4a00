// HTML that a cell made, in a frame of its own: its scripts run there and reach neither this page nor any network. Where a
// link in it leads is told to the person, who opens it or does not.
import { useEffect, useMemo, useRef, useState } from 'react';
import { elsewhereInWords, hostsNeeded } from '../../../src/elsewhere.ts';
import { address } from '../api/index.ts';
import { Button, Message } from '../ui/index.ts';

const tallest = 2000;
const longestLink = 2000;

/** `download`: where its bytes are, for what draws itself only where it may load from elsewhere. */
export function Frame({ html, download }: { html: string; download: string | null }) {
  const frame = useRef<HTMLIFrameElement>(null);
  /** What the frame was given: a script in it that asks again would run for ever. */
  const given = useRef<string>(undefined);
  const [height, setHeight] = useState(80);
  const [link, setLink] = useState<string | null>(null);
  const hosts = useMemo(() => hostsNeeded(html), [html]);

  useEffect(() => {
    const hear = (event: MessageEvent<unknown>) => {
      if (event.source !== frame.current?.contentWindow || typeof event.data !== 'object' || event.data === null)
        return;
      if ('ready' in event.data && given.current !== html) {
        given.current = html;
        const { theme } = document.documentElement.dataset;
        frame.current?.contentWindow?.postMessage({ html, theme: theme ?? 'light' }, '*');
      }
      if ('height' in event.data && typeof event.data.height === 'number')
        setHeight(Math.min(tallest, Math.max(24, Math.ceil(event.data.height))));
      if ('link' in event.data) setLink(webAddress(event.data.link));
    };
    window.addEventListener('message', hear);
    return () => window.removeEventListener('message', hear);
  }, [html]);

  return (
    <>
      {hosts.length > 0 && (
        <Message action={download === null ? null : <a href={download}>Download it</a>}>
          {elsewhereInWords(hosts)}
        </Message>
      )}
      <iframe
        key={html}
        ref={frame}
        className="frame"
        title="Output of the cell"
        sandbox="allow-scripts"
        src={address('/output-frame')}
        style={{ height }}
      />
      {link !== null && (
        <Message
          action={
            <>
              <a href={link} target="_blank" rel="noopener noreferrer" onClick={() => setLink(null)}>
                Open it
              </a>
              <Button look="quiet" onClick={() => setLink(null)}>
                Stay here
              </Button>
            </>
          }
        >
          This output leads to <bdi className="frame-link">{link}</bdi>
        </Message>
      )}
    </>
  );
}

function webAddress(link: unknown): string | null {
  const url = typeof link === 'string' && link.length <= longestLink ? URL.parse(link) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
