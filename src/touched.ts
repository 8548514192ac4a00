// What a run touched beside its variables, in words: on the page, in the terminal viewer and in what is exported.
import type { CellEffects } from './protocol/index.ts';

/** As cells name it: those of their working folder without the folder. */
export const fileInWords = (file: string): string => file.replace(/^work\//, '');

/** `read 2 files, asked 1 host`; empty when it touched nothing. */
export function touchedInWords(effects: CellEffects): string {
  const { read, written, hosts, programs, clock, entropy, asked, unwatched, settings_made = [], remade = [] } = effects;
  // That random numbers go on from where they were is no news.
  const made = settings_made.filter((name) => !name.endsWith('random')).map(settingInWords);
  const counted = (verb: string, count: number, noun: string): string[] =>
    count === 0 ? [] : [`${verb} ${count} ${noun}${count === 1 ? '' : 's'}`];
  return [
    ...counted('read', read.length, 'file'),
    ...(unwatched > 0 ? ['may have read more files'] : []),
    ...counted('wrote', written.length, 'file'),
    ...counted('asked', hosts.length, 'host'),
    ...counted('started', programs.length, 'program'),
    ...(asked ? ['asked a person'] : []),
    ...(clock ? ['read the clock'] : []),
    ...(entropy ? ['drew random numbers'] : []),
    ...(remade.length > 0 ? [`made ${listed(remade)} anew`] : []),
    ...(made.length > 0 ? [`sets ${listed(made)} for the cells below`] : []),
  ].join(', ');
}

/** What a setting is called where it is spoken of. */
export const settingInWords = (name: string): string =>
  settingWords[name] ?? (name.startsWith(keptBy) ? `what ${name.slice(keptBy.length)} keeps` : `settings of ${name}`);

/** Before the name of a class or a function. */
const keptBy = 'kept by ';

const settingWords: Readonly<Record<string, string>> = {
  random: 'the random numbers of random',
  'numpy.random': 'the random numbers of numpy',
  'torch.random': 'the random numbers of torch',
  numpy: 'how numpy prints',
  'numpy.errors': 'what numpy does about errors',
  warnings: 'which warnings are shown',
  logging: 'what is logged',
  environment: 'variables of the environment',
  path: 'where modules are looked for',
  folder: 'the current folder',
  'recursion limit': 'the recursion limit',
  results: 'which results are shown',
  arguments: 'sys.argv',
};

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

const maxNamed = 12;

/** The same with names, one kind a line. */
export function touchedByName(effects: CellEffects): string[] {
  const { read, written, hosts, programs, variables, settings_made = [], remade = [] } = effects;
  const where = effects.worker === undefined ? '' : ` on ${effects.worker}`;
  const named = (what: string, names: readonly string[]): string[] => {
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
    return names.length === 0 ? [] : [`${what}: ${names.slice(0, maxNamed).map(fileInWords).join(', ')}${more}`];
  };
  return [
    ...named(`Read${where}`, read),
    ...named(`Wrote${where}`, written),
    ...named(`Listed${where}`, effects.listed),
    ...named('Asked', hosts),
    ...named('Started', programs),
    ...named('Variables', variables),
    ...named('Made anew', remade),
    ...named('Sets for the cells below', settings_made.map(settingInWords)),
  ];
}

/** Whether the same source with the same inputs may give something else the next time. Files on a worker cannot be watched. */
export function mayDiffer(effects: CellEffects): boolean {
  const { hosts, clock, entropy, unwatched, programs, worker, read, written, listed } = effects;
  const isUnwatched = unwatched > 0 || (worker !== undefined && read.length + listed.length > 0);
  // It begins with what it left there itself.
  const goesOn = read.some((file) => written.includes(file));
  return clock || entropy || isUnwatched || goesOn || hosts.length > 0 || programs.length > 0;
}

/** With names, and what follows from it. */
export function touchedInDetail(effects: CellEffects): string {
  return [
    ...touchedByName(effects),
    ...(mayDiffer(effects) || effects.asked
      ? ['Run always runs it again, since a repeat may give something else.']
      : []),
  ].join('\n');
}
