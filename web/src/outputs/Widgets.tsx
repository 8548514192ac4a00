// Widgets of ipywidgets and anywidget, in a frame of their own. What shows them is loaded for the first of them.
import { widgets as scriptFile } from 'virtual:outputScripts';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { hostsOfWidgets, widgetHtml } from '../../../src/widgetPage.ts';
import { readWidgetView } from '../../../src/widgetView.ts';
import { address, messageOf } from '../api/index.ts';
import { Message } from '../ui/index.ts';
import { widgetWordOf } from '../widgets/messages.ts';
import { Frame, type SendToFrame } from './Frame.tsx';
import { widgetRelay } from './widgetRelay.ts';

let loading: Promise<string> | undefined;

/** As text: the frame can load nothing. */
function widgetScript(): Promise<string> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<string> {
  const answer = await fetch(address(`/assets/${scriptFile}`));
  if (!answer.ok) throw new Error('The widget library could not be loaded. Reload the page to try again.');
  return answer.text();
}

export function Widgets({ json, cellId, download }: { json: string; cellId: string; download: string | null }) {
  const view = useMemo(() => readWidgetView(json), [json]);
  const [script, setScript] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    let isGone = false;
    widgetScript().then(
      (text) => !isGone && setScript(text),
      (error: unknown) => !isGone && setProblem(messageOf(error)),
    );
    return () => {
      isGone = true;
    };
  }, []);

  const html = useMemo(() => (view && script !== null ? widgetHtml(script, view) : null), [view, script]);
  const hosts = useMemo(() => (view ? hostsOfWidgets(view) : []), [view]);
  const talk = useCallback(
    (send: SendToFrame) => {
      const models = new Set(Object.keys(view?.widgets.state ?? {}));
      const frame = { cellId, json, models, send: (message: object) => send({ widget: message }) };
      const { hear, leave } = widgetRelay.join(frame);
      return {
        hear(message: object) {
          const word = widgetWordOf(message);
          if (word !== null) hear(word);
        },
        leave,
      };
    },
    [cellId, json, view],
  );

  if (!view) return <Message tone="error">This widget cannot be shown: its stored state cannot be read.</Message>;
  if (problem !== null)
    return (
      <>
        <Message tone="error">{problem}</Message>
        <pre className="plain">{view.text}</pre>
      </>
    );
  if (html === null) return <p className="quiet">Loading …</p>;
  return <Frame html={html} hosts={hosts} download={download} talk={talk} />;
}
