// Cursors and selections of others over a text that nobody edits here: measured in the text as it is laid out.
import { type CSSProperties, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useModel } from '../notebook/context.ts';
import { toneOf } from '../notebook/tones.ts';
import { type NotebookModel, othersIn } from '../state/index.ts';
import './code.css';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Shown {
  readonly name: string;
  readonly caret: Box;
  readonly selection: readonly Box[];
}

export function CursorsOverText({ cellId, text }: { cellId: string; text: string }) {
  const told = useModel((model) => JSON.stringify(othersIn(model, cellId)));
  return told === '[]' ? null : <Cursors told={told} text={text} />;
}

function Cursors({ told, text }: { told: string; text: string }) {
  const others: NotebookModel['cursors'] = useMemo(() => JSON.parse(told), [told]);
  const place = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<readonly Shown[]>([]);

  useLayoutEffect(() => {
    const code = place.current?.parentElement?.querySelector('pre');
    if (!code) return;
    const measure = (): void => setShown(others.flatMap((one) => measured(one, code, text)));
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(code);
    return () => sizes.disconnect();
  }, [others, text]);

  return (
    <div ref={place} aria-hidden="true">
      {shown.map(({ name, caret, selection }) => {
        const who = { '--who': toneOf(name) } as CSSProperties;
        return (
          <div key={name} style={who}>
            {selection.map((box) => (
              <span key={`${box.top} ${box.left}`} className="other-selection over-text" style={{ ...box }} />
            ))}
            <span
              key={`${caret.left} ${caret.top}`}
              className="other-caret over-text"
              style={{ left: caret.left, top: caret.top, height: caret.height }}
            >
              <span className="other-name">{name}</span>
            </span>
          </div>
        );
      })}
    </div>
  );
}

/** Nothing where the text is not shown so far. */
function measured(cursor: NotebookModel['cursors'][number], code: HTMLElement, text: string): Shown[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const [head, from, to] = [
    cursor.head,
    Math.min(cursor.anchor, cursor.head),
    Math.max(cursor.anchor, cursor.head),
  ].map((offset) => pointAt(code, lines, offset));
  const origin = code.closest('.code-place')?.getBoundingClientRect();
  if (!head || !from || !to || !origin) return [];
  const inside = ({ left, top, width, height }: DOMRect): Box => ({
    left: left - origin.left,
    top: top - origin.top,
    width,
    height,
  });
  const caret = rangeOf(head, head).getBoundingClientRect();
  const selection = partsBetween(code, from, to).flatMap((part) => [...part.getClientRects()]);
  return [{ name: cursor.principal, caret: inside(caret), selection: selection.map(inside) }];
}

interface Point {
  readonly node: Text;
  readonly offset: number;
}

function rangeOf(from: Point, to: Point): Range {
  const range = document.createRange();
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, to.offset);
  return range;
}

/** Text by text: a range over several also tells of the boxes of what holds them. */
function partsBetween(code: HTMLElement, from: Point, to: Point): Range[] {
  const whole = rangeOf(from, to);
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  const parts: Range[] = [];
  while (texts.nextNode()) {
    const { currentNode: node } = texts;
    if (!(node instanceof Text) || whole.collapsed || !whole.intersectsNode(node)) continue;
    const first = node === from.node ? from.offset : 0;
    const last = node === to.node ? to.offset : node.length;
    if (first < last) parts.push(rangeOf({ node, offset: first }, { node, offset: last }));
  }
  return parts;
}

function pointAt(code: HTMLElement, lines: readonly string[], offset: number): Point | undefined {
  let left = offset;
  let row = 0;
  while (row < lines.length - 1 && left > (lines[row]?.length ?? 0)) left -= (lines[row++]?.length ?? 0) + 1;
  // A final newline is not shown: whoever stands behind it is seen at the end of the last line.
  const shownRow = Math.min(row, code.children.length - 1);
  const line = code.children[shownRow];
  if (!line) return undefined;
  const column = shownRow === row ? Math.min(left, lines[row]?.length ?? 0) : (lines[shownRow]?.length ?? 0);
  return pointIn(line, column);
}

function pointIn(line: Element, column: number): Point | undefined {
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  let left = column;
  let last: Text | undefined;
  while (texts.nextNode()) {
    if (!(texts.currentNode instanceof Text)) continue;
    last = texts.currentNode;
    if (left <= last.length) return { node: last, offset: left };
    left -= last.length;
  }
  return last && { node: last, offset: last.length };
}
