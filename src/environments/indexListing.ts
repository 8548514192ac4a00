// The files that an index lists for one package, as JSON (PEP 691) or as a page of links, and the versions in them.
import { canonicalName } from './requirement.ts';

export interface IndexedVersion {
  readonly version: string;
  /** Of the file that would be downloaded here; null where the index does not tell. */
  readonly bytes: number | null;
  readonly requires_python: string | null;
  readonly uploaded_at: string | null;
  /** Taken back by whoever published it. */
  readonly is_yanked: boolean;
}

export interface IndexFile {
  readonly filename: string;
  readonly url: string;
  readonly size: number | null;
  readonly requiresPython: string | null;
  readonly uploadedAt: string | null;
  readonly isYanked: boolean;
}

const shownVersions = 200;

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export function fromJson(text: string, base: string): IndexFile[] {
  const { files } = Object(JSON.parse(text));
  return (Array.isArray(files) ? files : []).flatMap((one: unknown) => {
    const file = Object(one);
    if (typeof file.filename !== 'string' || typeof file.url !== 'string' || !URL.canParse(file.url, base)) return [];
    return {
      filename: file.filename,
      url: new URL(file.url, base).href,
      size: typeof file.size === 'number' ? file.size : null,
      requiresPython: textOr(file['requires-python']),
      uploadedAt: textOr(file['upload-time']),
      isYanked: file.yanked !== undefined && file.yanked !== false,
    };
  });
}

export function fromLinks(text: string, base: string): IndexFile[] {
  return [...text.matchAll(/<a\s([^<>]*)>([^<]*)<\/a>/gi)].flatMap(([, attributes = '', words = '']) => {
    const attribute = (name: string): string | undefined =>
      new RegExp(`\\b${name}="([^"]*)"`, 'i')
        .exec(attributes)?.[1]
        ?.replaceAll('&gt;', '>')
        .replaceAll('&lt;', '<')
        .replaceAll('&amp;', '&');
    const address = attribute('href') ?? '';
    if (!URL.canParse(address, base)) return [];
    return {
      filename: words.trim(),
      url: new URL(address, base).href.replace(/#.*$/, ''),
      size: null,
      requiresPython: attribute('data-requires-python') ?? null,
      uploadedAt: null,
      isYanked: /\bdata-yanked\b/i.test(attributes),
    };
  });
}

export interface ListedVersion extends IndexedVersion {
  readonly url: string;
}

export function versionsOf(name: string, files: readonly IndexFile[], python: string): ListedVersion[] {
  const byVersion = new Map<string, IndexFile[]>();
  for (const file of files) {
    const version = versionIn(name, file.filename);
    if (version !== undefined) byVersion.set(version, [...(byVersion.get(version) ?? []), file]);
  }
  return [...byVersion]
    .sort(([one], [other]) => compareVersions(other, one))
    .slice(0, shownVersions)
    .flatMap(([version, all]) => {
      const [file] = all.toSorted((one, other) => fitness(other.filename, python) - fitness(one.filename, python));
      if (!file) return [];
      return {
        version,
        bytes: file.size,
        requires_python: file.requiresPython,
        uploaded_at: file.uploadedAt,
        is_yanked: all.every(({ isYanked }) => isYanked),
        url: file.url,
      };
    });
}

/** `name-1.2-py3-none-any.whl` and `name-1.2.tar.gz`. */
function versionIn(name: string, filename: string): string | undefined {
  const wheel = /^([^-]+)-([^-]+)-.+\.whl$/.exec(filename);
  const source = /^(.+)-([^-]+)\.(?:tar\.gz|tar\.bz2|zip)$/.exec(filename);
  const [, called = '', version] = wheel ?? source ?? [];
  return canonicalName(called) === name ? version : undefined;
}

const systemWords: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'macosx', win32: 'win' };
const machineWords: Readonly<Record<string, RegExp>> = {
  x64: /x86_64|amd64|universal2/,
  arm64: /aarch64|arm64|universal2/,
};

/** How likely this is the file that would be taken on this machine. */
function fitness(filename: string, python: string): number {
  if (!filename.endsWith('.whl')) return 1;
  if (filename.endsWith('-any.whl')) return 4;
  const isHere =
    filename.includes(systemWords[process.platform] ?? '?') && (machineWords[process.arch] ?? /^$/).test(filename);
  if (!isHere || filename.includes('musl')) return 0;
  return filename.includes(`-cp${python.replace('.', '')}-`) || filename.includes('-abi3-') ? 3 : 2;
}

/** Of two versions as PEP 440 orders them, as far as people write them. */
function compareVersions(one: string, other: string): number {
  const [a, b] = [parts(one), parts(other)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** What comes before a release counts below it, what comes after above. */
const stageNumbers: Readonly<Record<string, number>> = { dev: -4, a: -3, alpha: -3, b: -2, beta: -2, rc: -1, c: -1 };
const releaseParts = 6;

function parts(version: string): number[] {
  const [, epoch = '0', release = '', rest = ''] = /^(?:(\d+)!)?v?(\d+(?:\.\d+)*)(.*)$/i.exec(version) ?? [];
  const numbers = release.split('.').map(Number);
  const padded = Array.from({ length: releaseParts }, (_, at) => numbers[at] ?? 0);
  const [, stage = '', count = '0'] = /^[._-]?([a-z]+)[._-]?(\d*)/i.exec(rest) ?? [];
  return [Number(epoch), ...padded, stageNumbers[stage.toLowerCase()] ?? (stage === '' ? 0 : 1), Number(count)];
}
