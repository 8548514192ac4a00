// HTML that a cell made, in a frame of its own: its scripts run there and reach neither this page nor any network. Where a
// link in it leads is told to the person, who opens it or does not.
import { useEffect, useRef, useState } from 'react';
import { elsewhereInWords } from '../../../src/elsewhere.ts';
import { address } from '../api/index.ts';
import { Button, Message, useShownTheme } from '../ui/index.ts';

const tallest = 2000;
const longestLink = 2000;
const mostLoads = 5;

export type SendToFrame = (message: object) => void;

interface FrameProps {
  readonly html: string;
  /** Whom it would ask for what draws it. */
  readonly hosts: readonly string[];
  /** Where its bytes are, for what draws itself only where it may load from elsewhere. */
  readonly download: string | null;
  /** For what goes on talking with the page; the same function as long as it talks of the same. */
  readonly talk?: (send: SendToFrame) => { hear(message: object): void; leave(): void };
}

export function Frame({ html, hosts, download, talk }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  /** How often the frame was given this: one that was moved on the page loads anew, a script may reload it for ever. */
  const given = useRef({ html, times: 0 });
  const [height, setHeight] = useState(80);
  const [link, setLink] = useState<string | null>(null);
  const theme = useShownTheme();

  useEffect(() => frame.current?.contentWindow?.postMessage({ theme }, '*'), [theme]);

  useEffect(() => {
    const talking = talk?.((message) => frame.current?.contentWindow?.postMessage(message, '*'));
    const hear = (event: MessageEvent<unknown>) => {
      if (event.source !== frame.current?.contentWindow || typeof event.data !== 'object' || event.data === null)
        return;
      if ('height' in event.data && typeof event.data.height === 'number')
        setHeight(Math.min(tallest, Math.max(24, Math.ceil(event.data.height))));
      if ('link' in event.data) setLink(webAddress(event.data.link));
      talking?.hear(event.data);
    };
    window.addEventListener('message', hear);
    return () => {
      window.removeEventListener('message', hear);
      talking?.leave();
    };
  }, [talk]);

  function give(): void {
    if (given.current.html !== html) given.current = { html, times: 0 };
    given.current.times += 1;
    if (given.current.times > mostLoads) return;
    frame.current?.contentWindow?.postMessage({ html, theme }, '*');
  }

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
        onLoad={give}
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
