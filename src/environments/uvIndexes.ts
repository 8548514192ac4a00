// The package indexes that uv asks on this machine, in its order. What a notebook's project says is left out: whoever writes it
// could have this server ask any address.
import os from 'node:os';
import path from 'node:path';
import { parse } from 'smol-toml';
import { readIfThere } from './files.ts';

export interface UvIndex {
  /** Where `name/` is appended. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where uv looks when nobody told it. */
const usual = 'https://pypi.org/simple';

type Variables = Readonly<Record<string, string | undefined>>;

export const isOffline = (env: Variables = process.env): boolean => /^(1|true|yes|on)$/i.test(env.UV_OFFLINE ?? '');

export async function uvIndexes(env: Variables = process.env): Promise<readonly UvIndex[]> {
  const files = await Promise.all(configFiles(env).map(readConfig));
  const listed = [
    ...words(env.UV_INDEX),
    ...words(env.UV_EXTRA_INDEX_URL),
    ...files.flatMap(({ indexes, extra }) => [...indexes, ...extra]),
  ];
  const last =
    env.UV_DEFAULT_INDEX ?? env.UV_INDEX_URL ?? files.find(({ first }) => first !== undefined)?.first ?? usual;
  const all = [...listed, last].map((text) => indexOf(text, env)).filter((index) => index !== undefined);
  return all.filter(({ url }, at) => all.findIndex((one) => one.url === url) === at);
}

const words = (text = ''): string[] => text.split(/\s+/).filter((word) => word !== '');

function configFiles(env: Variables): string[] {
  if (env.UV_NO_CONFIG) return [];
  if (env.UV_CONFIG_FILE) return [env.UV_CONFIG_FILE];
  const home = env.XDG_CONFIG_HOME ?? path.join(env.HOME ?? os.homedir(), '.config');
  return [path.join(home, 'uv/uv.toml'), '/etc/uv/uv.toml'];
}

interface Config {
  readonly indexes: readonly string[];
  readonly extra: readonly string[];
  readonly first: string | undefined;
}

/** A file that cannot be read says nothing: uv itself tells of it with the next job. */
async function readConfig(file: string): Promise<Config> {
  const bytes = await readIfThere(file).catch(() => undefined);
  const nothing: Config = { indexes: [], extra: [], first: undefined };
  if (!bytes) return nothing;
  try {
    const { index, 'index-url': first, 'extra-index-url': extra } = parse(bytes.toString('utf8'));
    const entries = (Array.isArray(index) ? index : []).flatMap((one) =>
      typeof one === 'object' && one !== null && 'url' in one && typeof one.url === 'string'
        ? {
            text: `${'name' in one && typeof one.name === 'string' ? `${one.name}=` : ''}${one.url}`,
            isLast: 'default' in one && one.default === true,
          }
        : [],
    );
    return {
      indexes: entries.filter(({ isLast }) => !isLast).map(({ text }) => text),
      extra: (Array.isArray(extra) ? extra : []).filter((one) => typeof one === 'string'),
      first: entries.find(({ isLast }) => isLast)?.text ?? (typeof first === 'string' ? first : undefined),
    };
  } catch {
    return nothing;
  }
}

/** `https://host/simple` or `name=https://host/simple`; a folder of this machine is no index that can be asked. */
function indexOf(text: string, env: Variables): UvIndex | undefined {
  const [, name, address = ''] = /^(?:([\w.-]+)=)?(https?:\/\/.+)$/.exec(text) ?? [];
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const variable = `UV_INDEX_${name?.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
  const user = decodeURIComponent(url.username) || env[`${variable}_USERNAME`] || '';
  const password = decodeURIComponent(url.password) || env[`${variable}_PASSWORD`] || '';
  url.username = '';
  url.password = '';
  const secret = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    url: url.href.replace(/\/+$/, ''),
    headers: user === '' && password === '' ? {} : { authorization: `Basic ${secret}` },
  };
}
