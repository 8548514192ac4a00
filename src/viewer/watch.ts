// From a session, a directory or neither to a screen, and back to the terminal as it was, however it ends.
import path from 'node:path';
import { render } from 'ink';
import type { ReactElement } from 'react';
import { createStore } from '../model/index.ts';
import type { NotebookState } from '../protocol/index.ts';
import { attach } from './attach.ts';
import { graphicsOf } from './graphics.ts';
import { App } from './screen/app.ts';
import { h, type Palette } from './screen/element.ts';
import { type Choice, Picker } from './screen/picker.ts';
import type { ViewedServer } from './server.ts';
import { firstView, reduceView } from './view.ts';

export interface WatchOptions {
  readonly server: ViewedServer;
  readonly session?: string | undefined;
  readonly directory?: string | undefined;
}

/** There is nothing to look at; the message says what to do. */
export class NothingToWatch extends Error {
  override readonly name = 'NothingToWatch';
}

export async function watchInTerminal({ server, session, directory }: WatchOptions): Promise<void> {
  if (process.stdout.isTTY !== true || process.stdin.isTTY !== true)
    throw new NothingToWatch('the viewer needs a terminal; `svc status` tells programs the same');
  const palette: Palette = { hasColours: process.stdout.getColorDepth() > 1 };
  const found = session ?? (await sessionFor(server, directory, palette));
  if (found === null) return;
  const attached = attach(server, found);
  const views = createStore(firstView, reduceView);
  try {
    await shown(h(App, { server, attached, views, palette, graphics: graphicsOf(process.env), folder: process.cwd() }));
  } finally {
    attached.close();
  }
}

async function sessionFor(
  server: ViewedServer,
  directory: string | undefined,
  palette: Palette,
): Promise<string | NotebookState | null> {
  if (directory !== undefined) return server.open(path.resolve(directory));
  const sessions = await server.sessions();
  const [first, ...others] = sessions;
  if (!first)
    throw new NothingToWatch(`no notebook is open on ${server.address}; name a directory, or open one in the page`);
  if (others.length === 0) return first.session_id;
  const chosen = await shown(h(Picker, { choices: sessions, palette }));
  return isChoice(chosen) ? chosen.session_id : null;
}

const isChoice = (value: unknown): value is Choice =>
  typeof value === 'object' && value !== null && 'session_id' in value;

/** On a screen of its own. The terminal is given back when it is left, at signals, and when something goes wrong. */
async function shown(element: ReactElement): Promise<unknown> {
  // ink does so only after its first frame, and the terminal would echo keys that come before.
  process.stdin.setRawMode(true);
  const screen = render(element, { alternateScreen: true, interactive: true, incrementalRendering: true });
  // Told after the terminal is back, where it can be read.
  const failures: unknown[] = [];
  const fail = (error: unknown): void => {
    failures.push(error);
    screen.unmount();
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  try {
    const left = await screen.waitUntilExit();
    if (failures.length > 0) throw failures[0];
    return left;
  } finally {
    process.off('uncaughtException', fail);
    process.off('unhandledRejection', fail);
    screen.unmount();
    process.stdin.setRawMode(false);
  }
}
