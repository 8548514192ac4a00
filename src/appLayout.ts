// Where a cell stands in the app view, as its source says it: `# @app hide`, `# @app sidebar`, `# @app tab Results`,
// `# @app width 1/2`. In Markdown the same words stand in a comment: `<!-- @app sidebar -->`.

export interface AppPlace {
  readonly isHidden: boolean;
  readonly isAside: boolean;
  /** The tab that it stands in; parts that follow each other with tabs make one set of them. */
  readonly tab: string | null;
  /** In twelfths of the page: parts whose widths fit stand side by side. */
  readonly width: number;
}

export const appColumns = 12;

const usual: AppPlace = { isHidden: false, isAside: false, tab: null, width: appColumns };

const hint = /^[ \t]*(?:#|--|\/\/|<!--)[ \t]*@app[ \t]+(\S+)(.*)$/gm;

export function appPlace(source: string): AppPlace {
  if (!source.includes('@app')) return usual;
  let place = usual;
  for (const [, word = '', rest = ''] of source.matchAll(hint)) {
    const value = rest.trim().replace(/-->$/, '').trimEnd();
    if (/^hide\b/.test(word)) place = { ...place, isHidden: true };
    else if (word === 'sidebar') place = { ...place, isAside: true };
    else if (word === 'tab' && value !== '') place = { ...place, tab: value };
    else if (word === 'width') place = { ...place, width: twelfths(value) ?? place.width };
  }
  return place;
}

/** The text of a Markdown cell as it is read: what it says about its place is not for readers. */
export const withoutAppHints = (text: string): string =>
  text.replace(/^[^\S\n]*<!--\s*@app\s[^\n]*?-->[^\S\n]*\n?/gm, '');

/** Of `1/2`, `2/3`, …; null for what is no part of a whole. */
function twelfths(text: string): number | null {
  const [, part, whole] = /^(\d{1,2})\s*\/\s*(\d{1,2})$/.exec(text) ?? [];
  const share = Number(part) / Number(whole);
  return share > 0 && share <= 1 ? Math.max(1, Math.round(share * appColumns)) : null;
}

/** What is wrong with the words of a hint, or null. */
export function appHintProblem(value: string): string | null {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/.exec(value) ?? [];
  if (/^hide\b/.test(word) || word === 'sidebar') return null;
  if (word === 'tab') return rest === '' ? 'a tab needs a name: # @app tab Results' : null;
  if (word === 'width') return twelfths(rest) === null ? 'a width is a part of the page: # @app width 1/2' : null;
  return 'use hide, sidebar, tab NAME or width 1/2';
}

export interface Placed<T> {
  readonly part: T;
  readonly width: number;
}

export type AppBlock<T> =
  | ({ readonly kind: 'part' } & Placed<T>)
  | {
      readonly kind: 'tabs';
      readonly tabs: readonly { readonly name: string; readonly parts: readonly Placed<T>[] }[];
    };

export interface AppLayout<T> {
  readonly aside: readonly T[];
  readonly blocks: readonly AppBlock<T>[];
}

/** The parts of an app in the order of the notebook, each where its source wants it. */
export function arrange<T>(parts: readonly T[], sourceOf: (part: T) => string): AppLayout<T> {
  const aside: T[] = [];
  const blocks: AppBlock<T>[] = [];
  let tabs: Map<string, Placed<T>[]> | undefined;
  for (const part of parts) {
    const { isHidden, isAside, tab, width } = appPlace(sourceOf(part));
    if (isHidden) continue;
    if (isAside) {
      aside.push(part);
    } else if (tab === null) {
      tabs = undefined;
      blocks.push({ kind: 'part', part, width });
    } else {
      if (!tabs) {
        tabs = new Map();
        blocks.push(tabsBlock(tabs));
      }
      tabs.set(tab, [...(tabs.get(tab) ?? []), { part, width }]);
    }
  }
  return { aside, blocks };
}

/** Read when everything is in its place. */
const tabsBlock = <T>(tabs: ReadonlyMap<string, readonly Placed<T>[]>): AppBlock<T> => ({
  kind: 'tabs',
  get tabs() {
    return [...tabs].map(([name, parts]) => ({ name, parts }));
  },
});
