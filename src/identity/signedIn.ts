// A person at a browser shows their key in a cookie, since a socket and a picture carry no header of the page's choice. The cookie
// is the key itself, checked like one in a header, so that a key that is revoked is over at once and every server knows it.
import type { Settings } from '../settings/index.ts';

const cookieName = 'svc_key';
const keptSeconds = 14 * 24 * 3600;

type Header = (name: string) => readonly string[];

/** The key of whoever signed in; undefined for nobody, for two at once, and for a page of another origin. */
export function signedInKey(header: Header, { publicBaseUrl }: Pick<Settings, 'publicBaseUrl'>): string | undefined {
  const found = header('cookie').flatMap((line) =>
    line.split(';').flatMap((part) => {
      const [name = '', value = ''] = part.trim().split('=', 2);
      return name === cookieName && value !== '' ? [value] : [];
    }),
  );
  return found.length === 1 && isOwnPage(header, publicBaseUrl) ? found[0] : undefined;
}

/** Browsers send cookies along whichever page asks; what other origins are allowed, they are allowed with credentials of their own. */
function isOwnPage(header: Header, publicBaseUrl: string | null): boolean {
  const [origin, ...others] = header('origin');
  if (origin === undefined) return true;
  const [host] = header('host');
  const own = [`http://${host}`, `https://${host}`, ...(publicBaseUrl === null ? [] : [new URL(publicBaseUrl).origin])];
  return others.length === 0 && own.includes(origin);
}

/** For the answer to a sign-in; null signs out. Scripts never see it, and no other site sends it. */
export function signInCookie(
  key: string | null,
  { publicBasePath, publicBaseUrl }: Pick<Settings, 'publicBasePath' | 'publicBaseUrl'>,
): string {
  const isSecure = publicBaseUrl?.startsWith('https:') === true;
  return [
    `${cookieName}=${key ?? ''}`,
    `Path=${publicBasePath === '' ? '/' : publicBasePath}`,
    `Max-Age=${key === null ? 0 : keptSeconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}
