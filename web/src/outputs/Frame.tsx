// HTML that a cell made, in a frame of its own: its scripts run there and reach neither this page nor any network.
import { useEffect, useRef, useState } from 'react';
import { address } from '../api/index.ts';

const tallest = 2000;

export function Frame({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(80);

  useEffect(() => {
    const hear = (event: MessageEvent<unknown>) => {
      if (event.source !== frame.current?.contentWindow || typeof event.data !== 'object' || event.data === null)
        return;
      if ('ready' in event.data) {
        const { theme } = document.documentElement.dataset;
        frame.current?.contentWindow?.postMessage({ html, theme: theme ?? 'light' }, '*');
      }
      if ('height' in event.data && typeof event.data.height === 'number')
        setHeight(Math.min(tallest, Math.max(24, Math.ceil(event.data.height))));
    };
    window.addEventListener('message', hear);
    return () => window.removeEventListener('message', hear);
  }, [html]);

  return (
    <iframe
      key={html}
      ref={frame}
      className="frame"
      title="Output of the cell"
      sandbox="allow-scripts allow-popups"
      src={address('/output-frame')}
      style={{ height }}
    />
  );
}
