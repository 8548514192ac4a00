// A cell that stopped, at a breakpoint or where it failed: its frames, their variables, and a prompt in the chosen frame.
import { useEffect, useRef, useState } from 'react';
import { useModel, useNotebook } from '../notebook/context.ts';
import { type CellModel, labelOf } from '../state/index.ts';
import { Button, copyText, focusBack } from '../ui/index.ts';
import { useEntered } from './useEntered.ts';
import type { Stop } from './useStop.ts';
import './tools.css';
import './debugger.css';

type Question = Extract<NonNullable<CellModel['question']>, { kind: 'debug' }>;
type Frame = Question['frames'][number];

const steps = [
  { command: 'next', label: 'Next', title: 'Run this line' },
  { command: 'step', label: 'Step in', title: 'Go into the function that this line calls' },
  { command: 'return', label: 'Step out', title: 'Run to the end of this function' },
  { command: 'continue', label: 'Continue', title: 'Run to the next breakpoint, or to the end' },
] as const;

export function Debugger({ cellId, stop }: { cellId: string; stop: Stop }) {
  const { isReadOnly } = useNotebook();
  const { question, isWaiting, isAtWork } = stop;
  const { reason, frames, at, variables } = question;
  const { said, ask } = useTranscript(question);
  // A button that is off while a command is worked on would lose the focus.
  const give = (command: string) => {
    if (isWaiting) return;
    ask(command);
    stop.give(command);
  };
  const frame = frames.find((one) => one.at === at);
  return (
    <section
      ref={focusBack}
      className="tool debugger"
      aria-label={reason === 'failure' ? 'Inspect this failure' : 'Stopped'}
    >
      <header>
        <span>
          {isAtWork ? 'Running …' : reason === 'failure' ? 'Failed' : 'Stopped'}
          {!isAtWork && frame && <> at {frame.cell_id === cellId ? placeOf(frame) : <FramePlace frame={frame} />}</>}
        </span>
        {reason === 'breakpoint' &&
          steps.map(({ command, label, title }) => (
            <Button
              key={command}
              look="quiet"
              title={title}
              aria-disabled={isWaiting}
              disabled={isReadOnly}
              onClick={() => give(command)}
            >
              {label}
            </Button>
          ))}
        {question.editor?.address === null && (
          <Button
            look="quiet"
            title="Let VS Code or another editor debug this cell"
            aria-disabled={isWaiting}
            disabled={isReadOnly}
            onClick={() => give('attach')}
          >
            Attach an editor
          </Button>
        )}
        {reason === 'breakpoint' && (
          <Button
            look="quiet"
            title="End the cell here"
            aria-disabled={isWaiting}
            disabled={isReadOnly}
            onClick={() => give('quit')}
          >
            Quit
          </Button>
        )}
      </header>
      {frame && frame.text !== '' && <pre className="debugger-line">{frame.text}</pre>}
      {frames.length > 1 && (
        <ol className="debugger-frames" aria-label="Frames">
          {frames.map((one) => (
            <li key={one.at}>
              <button
                type="button"
                className="text-button"
                aria-current={one.at === at ? 'true' : undefined}
                aria-disabled={isWaiting}
                disabled={isReadOnly}
                onClick={() => give(`frame ${one.at}`)}
              >
                <FramePlace frame={one} />
              </button>
            </li>
          ))}
        </ol>
      )}
      {question.editor?.address != null && <AttachEditor address={question.editor.address} />}
      <Variables variables={variables} />
      <Transcript said={said} />
      {!isReadOnly && <Prompt cellId={cellId} isWaiting={isWaiting} onCommand={give} />}
    </section>
  );
}

/** Cells lie in no file, so that an editor would take them for a library's code. */
function AttachEditor({ address }: { address: string }) {
  const [host, port] = address.split(':');
  const configuration = {
    name: 'Notebook cell',
    type: 'debugpy',
    request: 'attach',
    connect: { host, port: Number(port) },
    justMyCode: false,
  };
  return (
    <p className="debugger-editor">
      Attach your editor to <code>{address}</code>, on the machine that runs the cell. It goes on from this line.
      <Button
        look="quiet"
        title="For the configurations of launch.json in VS Code"
        onClick={() => void copyText(JSON.stringify(configuration, null, 2))}
      >
        Copy for VS Code
      </Button>
    </p>
  );
}

const placeOf = ({ line, function: name }: Frame): string =>
  `line ${line ?? '?'}${name === '<module>' ? '' : ` in ${name}`}`;

function FramePlace({ frame }: { frame: Frame }) {
  const label = useModel((model) => (frame.cell_id === null ? null : labelOf(model, frame.cell_id)));
  return (
    <>
      {label ?? frame.file?.split('/').at(-1)}, {placeOf(frame)}
    </>
  );
}

function Variables({ variables }: Pick<Question, 'variables'>) {
  if (variables.length === 0) return <p className="tool-none">No variables here.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it
    <section className="debugger-variables" aria-label="Variables" tabIndex={0}>
      <table>
        <tbody>
          {variables.map(({ name, type, value }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="quiet">{type}</td>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface Said {
  readonly command: string;
  readonly text: string;
}

/** Frames and places are drawn beside the prompt; what the debugger says of them is left out. */
const isPlace = (line: string): boolean => /^(> |-> |--(Return|Call)--)/.test(line);

function useTranscript(question: Question): { said: readonly Said[]; ask: (command: string) => void } {
  const [said, setSaid] = useState<readonly Said[]>([]);
  const seen = useRef(question.question_id);
  const command = useRef('');
  useEffect(() => {
    if (seen.current === question.question_id) return;
    seen.current = question.question_id;
    const text = question.said
      .split('\n')
      .filter((line) => !isPlace(line))
      .join('\n')
      .trimEnd();
    const given = command.current;
    if (!/^frame \d+$/.test(given)) setSaid((before) => [...before.slice(-199), { command: given, text }]);
  }, [question]);
  return {
    said,
    ask(given) {
      command.current = given;
    },
  };
}

function Transcript({ said }: { said: readonly Said[] }) {
  const end = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new comes into sight
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [said]);
  if (said.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it
    <ol className="tool-answers" aria-label="Answers" aria-live="polite" tabIndex={0}>
      {said.map(({ command, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: answers only grow at the end
        <li key={index} ref={index === said.length - 1 ? end : undefined}>
          {command !== '' && <code>{command}</code>}
          {text !== '' && <pre className={text.startsWith('***') ? 'tool-problem' : ''}>{text}</pre>}
        </li>
      ))}
    </ol>
  );
}

function Prompt(props: { cellId: string; isWaiting: boolean; onCommand: (command: string) => void }) {
  const { isWaiting, onCommand } = props;
  const field = useRef<HTMLInputElement>(null);
  // The cell may have run for long to stop here.
  useEntered(props.cellId, field, !document.activeElement?.matches('input, textarea, [contenteditable]'));
  const [text, setText] = useState('');
  const [given, setGiven] = useState<readonly string[]>([]);
  const [back, setBack] = useState(0);
  const go = (to: number) => {
    const place = Math.max(0, Math.min(to, given.length));
    setBack(place);
    setText(place === 0 ? '' : (given.at(-place) ?? ''));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '' || isWaiting) return;
        onCommand(text);
        setGiven([...given, text]);
        setText('');
        setBack(0);
      }}
    >
      <input
        ref={field}
        className="input mono"
        aria-label="Expression or command"
        placeholder="An expression, or a command of pdb"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowUp') go(back + 1);
          else if (event.key === 'ArrowDown') go(back - 1);
          else return;
          event.preventDefault();
        }}
      />
    </form>
  );
}
