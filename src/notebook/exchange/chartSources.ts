// The scripts that draw charts and show widgets, as the build of the web app made them: an exported page holds those that it needs.
import fs from 'node:fs/promises';
import path from 'node:path';
import { webBuild } from '../../../scripts/setup/places.js';
import type { ChartScript } from '../../charts.ts';

/** Null where the web app was not built. */
export const chartSource = (script: ChartScript): Promise<string | null> => built(`chart-${script}-`);

export const widgetSource = (): Promise<string | null> => built('widgets-');

async function built(beginning: string): Promise<string | null> {
  const folder = path.join(webBuild, 'assets');
  const names = await fs.readdir(folder).catch(() => []);
  const name = names.find((one) => one.startsWith(beginning) && one.endsWith('.js'));
  return name === undefined ? null : fs.readFile(path.join(folder, name), 'utf8');
}
