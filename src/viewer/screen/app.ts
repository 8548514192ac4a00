// The screen: a list of cells, the source of the selected one, what it gave, and a line of keys.
import fs from 'node:fs/promises';
import path from 'node:path';
import { Box, useApp, useInput, useWindowSize } from 'ink';
import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import type { CellModel, NotebookModel, Store } from '../../model/index.ts';
import type { Attached } from '../attach.ts';
import { bannerText, connectionText } from '../banner.ts';
import { cellRow } from '../cellRow.ts';
import { consoleLines } from '../consoleText.ts';
import type { Graphics } from '../graphics.ts';
import { graphLines, summaryOf } from '../graphLines.ts';
import { actionOf, keysHelp, type Scene } from '../keys.ts';
import { type Line, line, plain, windowOf } from '../lines.ts';
import type { ViewedServer } from '../server.ts';
import type { View, ViewEvent } from '../view.ts';
import { agentLines, noCell, type Output, resultLines, topLines, useOutput } from './content.ts';
import { useDrawnPicture } from './drawnPicture.ts';
import { h, Lines, linesIn, type Palette, Pane } from './element.ts';

export interface AppProps {
  readonly server: ViewedServer;
  readonly attached: Attached;
  readonly views: Store<View, ViewEvent>;
  readonly palette: Palette;
  /** How the terminal shows pictures; null where it shows characters alone. */
  readonly graphics: Graphics | null;
  /** Where tables are saved. */
  readonly folder: string;
}

const footer =
  ' q Quit  ? Help  r Resync  d DAG  i Image  f Follow  1 Cells  2 Source  3 Tests  4 Output  5 Console  6 Agent  7 Results';

export function App({ server, attached, views, palette, graphics, folder }: AppProps): ReactElement {
  const model = useSyncExternalStore(attached.store.subscribe, attached.store.get);
  const view = useSyncExternalStore(views.subscribe, views.get);
  const { columns, rows } = useWindowSize();
  const { exit } = useApp();
  useEffect(() => views.send({ kind: 'model', model }), [model, views]);

  const cell = view.selected === null ? undefined : model.cells.get(view.selected);
  const sizes = sizesOf(view, columns, rows);
  const isWhole = view.overlay === 'image';
  const output = useOutput(cell, view, {
    server,
    attached,
    width: isWhole ? columns - 2 : sizes.rightWidth - 2,
    height: linesIn(isWhole ? sizes.bodyHeight : sizes.bottomHeight),
    hasColours: palette.hasColours,
  });
  const drawn = isWhole && graphics !== null ? output.picture : null;
  useDrawnPicture(graphics, drawn, { ...overlayCorner, width: columns - 2, height: linesIn(sizes.bodyHeight) });
  const top = cell ? topLines(cell, view.top) : noCell;
  const bottom = bottomLines(model, cell, view, output);
  const scene: Scene = {
    order: model.order,
    most: {
      top: Math.max(0, top.length - linesIn(sizes.topHeight)),
      bottom: Math.max(0, bottom.length - linesIn(sizes.bottomHeight)),
    },
    pageHeight: linesIn(view.focus === 'list' ? sizes.bodyHeight : sizes.bottomHeight),
    table: output.table && { columns: output.table.columns, total: output.table.page?.total ?? 0 },
  };

  // Keys that come faster than the screen is drawn arrive together, and each must see what the one before has done.
  useInput((input, key) => {
    for (const one of input === '' ? [''] : input) {
      const action = actionOf(one, key, views.get(), scene);
      if (action?.kind === 'quit') exit();
      else if (action?.kind === 'resync') attached.resync();
      else if (action?.kind === 'saveTable') void saveTable();
      else if (action) views.send(action);
    }
  });

  async function saveTable(): Promise<void> {
    if (!cell || !output.table) return;
    const file = path.join(folder, `${cell.id}.csv`);
    const of = { sessionId: attached.sessionId(), cellId: cell.id, uri: output.table.uri, sort: view.table.sort };
    const message = await server
      .csv(of)
      .then((bytes) => fs.writeFile(file, bytes))
      .then(
        () => `saved ${file}`,
        (error: unknown) => `not saved: ${error instanceof Error ? error.message : String(error)}`,
      );
    views.send({ kind: 'say', message });
  }

  const body =
    view.overlay === null
      ? h(Panes, { model, view, sizes, top, bottom, palette })
      : h(Pane, {
          title: line(`${overlayTitles[view.overlay]}  (Esc closes)`, { bold: true }),
          lines: drawn ? [] : overlayLines(view.overlay, model, view, output, columns - 2),
          width: columns,
          height: sizes.bodyHeight,
          isFocused: true,
          palette,
        });
  return h(
    Box,
    { flexDirection: 'column', width: columns, height: rows },
    h(Lines, { lines: [headerLine(model, view)], palette }),
    body,
    h(Lines, {
      lines: [line(view.message === null ? footer : ` ${plain(view.message)}`, { dim: view.message === null })],
      palette,
    }),
  );
}

interface Sizes {
  readonly bodyHeight: number;
  readonly listWidth: number;
  readonly rightWidth: number;
  readonly topHeight: number;
  readonly bottomHeight: number;
}

function sizesOf({ listPercent, topPercent }: View, columns: number, rows: number): Sizes {
  const bodyHeight = Math.max(6, rows - 2);
  const listWidth = Math.max(12, Math.round((columns * listPercent) / 100));
  const topHeight = Math.max(3, Math.round((bodyHeight * topPercent) / 100));
  return { bodyHeight, listWidth, rightWidth: columns - listWidth, topHeight, bottomHeight: bodyHeight - topHeight };
}

interface PanesProps {
  readonly model: NotebookModel;
  readonly view: View;
  readonly sizes: Sizes;
  readonly top: readonly Line[];
  readonly bottom: readonly Line[];
  readonly palette: Palette;
}

function Panes({ model, view, sizes, top, bottom, palette }: PanesProps): ReactElement {
  const { bodyHeight, listWidth, rightWidth, topHeight, bottomHeight } = sizes;
  const height = linesIn(bottomHeight);
  const fromEnd = view.bottom === 'console' ? bottom.length - height - view.scroll.bottom : view.scroll.bottom;
  return h(
    Box,
    { height: bodyHeight },
    h(Pane, {
      title: line(summaryOf(model), { dim: true }),
      lines: listLines(model, view, listWidth - 2, linesIn(bodyHeight)),
      width: listWidth,
      height: bodyHeight,
      isFocused: view.focus === 'list',
      palette,
    }),
    h(
      Box,
      { flexDirection: 'column' },
      h(Pane, {
        title: tabsLine(['source', 'tests'], view.top),
        lines: windowOf(top, view.scroll.top, linesIn(topHeight)),
        width: rightWidth,
        height: topHeight,
        isFocused: view.focus === 'top',
        palette,
      }),
      h(Pane, {
        title: tabsLine(['output', 'console', 'agent', 'results'], view.bottom),
        lines: windowOf(bottom, fromEnd, height),
        width: rightWidth,
        height: bottomHeight,
        isFocused: view.focus === 'bottom',
        palette,
      }),
    ),
  );
}

/** The part of the list around the selected cell. */
function listLines(model: NotebookModel, view: View, width: number, height: number): readonly Line[] {
  const at = Math.max(0, model.order.indexOf(view.selected ?? ''));
  const first = Math.max(0, Math.min(at - Math.floor(height / 2), model.order.length - height));
  return model.order.slice(first, first + height).flatMap((id) => {
    const cell = model.cells.get(id);
    return cell ? [cellRow(cell, width, id === view.selected, view.focus === 'list')] : [];
  });
}

function bottomLines(
  model: NotebookModel,
  cell: CellModel | undefined,
  { bottom }: View,
  output: Output,
): readonly Line[] {
  if (bottom === 'agent') return agentLines(model);
  if (bottom === 'output' || !cell) return output.lines;
  return bottom === 'console' ? consoleLines(cell) : resultLines(cell);
}

const tabsLine = (tabs: readonly string[], active: string): Line =>
  tabs.map((tab) => {
    const text = ` ${tab.charAt(0).toUpperCase()}${tab.slice(1)} `;
    return tab === active ? { text, inverse: true } : { text, dim: true };
  });

function headerLine(model: NotebookModel, { follow }: View): Line {
  const connection = connectionText(model);
  const banner = bannerText(model);
  return [
    { text: ` ${plain(model.name) || '…'}`, bold: true },
    { text: ' — ' },
    connection,
    { text: follow ? '  ·  ⏵ follow' : '' },
    { text: banner === '' ? '' : `  ·  ${banner}`, colour: 'cyan' },
  ];
}

/** Below the header, the frame and its title; beside the frame. */
const overlayCorner = { top: 4, left: 2 };

const overlayTitles = { graph: 'How cells depend on each other', image: 'Picture', help: 'Keys' };

function overlayLines(
  overlay: NonNullable<View['overlay']>,
  model: NotebookModel,
  view: View,
  output: Output,
  width: number,
): readonly Line[] {
  if (overlay === 'graph') return graphLines(model, view.selected, width);
  if (overlay === 'image') return output.lines;
  return keysHelp.map(([keys, what]) => [{ text: ` ${keys.padEnd(16)}`, bold: true }, { text: what }]);
}
