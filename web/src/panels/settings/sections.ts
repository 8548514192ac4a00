// Every setting of a notebook, by where it stands and by the words that people look for it with.
import type { NotebookModel } from '../../state/index.ts';

export type SectionName =
  | 'cells'
  | 'variables'
  | 'environment'
  | 'workers'
  | 'mounts'
  | 'connections'
  | 'credentials'
  | 'assist'
  | 'limits';

export interface SettingFacts {
  readonly id: string;
  readonly label: string;
  /** What else it is called. */
  readonly words: string;
}

export interface SectionFacts {
  readonly name: SectionName;
  readonly title: string;
  readonly words: string;
  readonly settings: readonly SettingFacts[];
  /** How it stands, in a few words. */
  readonly summary: (model: NotebookModel) => string;
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  count === 0 ? '' : `${count} ${count === 1 ? one : many}`;

const namesOf = (named: readonly { readonly name: string }[]): string => named.map(({ name }) => name).join(', ');

export const sections: readonly SectionFacts[] = [
  {
    name: 'cells',
    title: 'Cells',
    words: 'run running execution',
    settings: [
      { id: 'timeout', label: 'Time limit of a cell', words: 'timeout seconds limit longest' },
      { id: 'ask', label: 'Ask before cells above run', words: 'cascade confirm upstream question' },
      { id: 'reactive', label: 'Cheap cells follow changes', words: 'reactive automatic autorun live' },
      { id: 'keepWidgets', label: 'Keep cells for their widgets', words: 'widget process memory ipywidgets' },
      {
        id: 'strictPackages',
        label: 'Packages make every cell stale',
        words: 'environment dependency stale strict install',
      },
      { id: 'folder', label: 'Folder of data files', words: 'path directory working files' },
    ],
    summary: ({ timeout, reactive }) =>
      [timeout === null ? '' : `${timeout} s`, reactive ? 'reactive' : ''].filter(Boolean).join(' · '),
  },
  {
    name: 'variables',
    title: 'Variables and secrets',
    words: 'env environment variable key token password api',
    settings: [
      { id: 'env', label: 'Environment variables', words: 'env key token password api value' },
      { id: 'secretManager', label: 'Secret manager', words: 'vault infisical provider fetch' },
    ],
    summary: ({ env }) => counted(Object.keys(env).length, 'variable'),
  },
  {
    name: 'environment',
    title: 'Environment',
    words: 'python version package packages install pip uv requirements environment.yml conda import r renv index',
    settings: [],
    summary: ({ environment }) => {
      const version = String(environment.runtime_python_version || environment.requested_python_version || '');
      return version === '' ? '' : `Python ${version}`;
    },
  },
  {
    name: 'workers',
    title: 'Workers',
    words: 'worker cluster remote ssh gpu machine slurm ray hardware',
    settings: [],
    summary: () => '',
  },
  {
    name: 'mounts',
    title: 'Mounts',
    words: 's3 gcs azure bucket folder object store credential data',
    settings: [{ id: 'mounts', label: 'Mounts', words: '' }],
    summary: ({ mounts }) => namesOf(mounts),
  },
  {
    name: 'connections',
    title: 'Connections',
    words: 'database sql schema table duckdb sqlite postgres credential query',
    settings: [{ id: 'connections', label: 'Connections', words: '' }],
    summary: ({ connections }) => namesOf(connections),
  },
  {
    name: 'credentials',
    title: 'Credentials of this server',
    words: 'credential administrator operator key secret password mount connection named',
    settings: [{ id: 'credentials', label: 'Credentials of this server', words: '' }],
    summary: () => '',
  },
  {
    name: 'assist',
    title: 'Help from a model',
    words: 'ai model llm prompt assistant openai key',
    settings: [{ id: 'ai', label: 'Model of this notebook', words: 'ai llm prompt assistant openai address base url' }],
    summary: () => '',
  },
  {
    name: 'limits',
    title: 'Limits of this server',
    words: 'limit timeout seconds operator administrator quota memory processes files size',
    settings: [],
    summary: () => '',
  },
];

/** Every word that was typed is found somewhere in the texts. */
export function fits(search: string, ...texts: readonly string[]): boolean {
  const whole = texts.join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}

/** Which of its settings a search leaves; null where it leaves the whole section, undefined where nothing. */
export function foundIn(
  section: SectionFacts,
  search: string,
  model: NotebookModel,
): ReadonlySet<string> | null | undefined {
  if (search.trim() === '' || fits(search, section.title)) return null;
  const settings = section.settings.filter(({ label, words }) => fits(search, label, words));
  if (settings.length > 0) return new Set(settings.map(({ id }) => id));
  return fits(search, section.title, section.words, section.summary(model), namedIn(section.name, model))
    ? null
    : undefined;
}

const namedIn = (name: SectionName, model: NotebookModel): string =>
  name === 'variables' ? Object.keys(model.env).join(' ') : '';

export const labelOfSetting = (id: string): string =>
  sections.flatMap(({ settings }) => settings).find((setting) => setting.id === id)?.label ?? id;

/** The title of its section names it already. */
export const isWholeSection = (id: string): boolean => sections.some(({ title }) => title === labelOfSetting(id));

export const sectionOf = (settingId: string): SectionName | undefined =>
  sections.find(({ settings }) => settings.some(({ id }) => id === settingId))?.name;
