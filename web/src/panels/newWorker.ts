// What somebody wrote as the place of a new worker.

export type NewPlace =
  | { readonly kind: 'address'; readonly url: string; readonly name: string }
  | { readonly kind: 'ssh'; readonly target: string; readonly name: string };

const words = 'Write an address such as https://gpu.example.org:9000, or user@host for ssh.';

export function placeIn(text: string): NewPlace | { readonly problem: string } {
  const written = text.trim();
  if (/^https?:\/\//i.test(written)) {
    const url = URL.parse(written);
    return url ? { kind: 'address', url: written, name: nameOf(url.hostname) } : { problem: words };
  }
  const place = written.replace(/^ssh(:\/\/|\s+)/, '');
  const [, login, host, port] = /^((?:[\w.-]+@)?(\w[\w.-]*))(?::(\d{1,5}))?$/.exec(place) ?? [];
  // A bare word may be meant as anything; whoever says ssh or user@ means ssh.
  if (login === undefined || host === undefined || (place === written && !place.includes('@')))
    return { problem: words };
  // A port is told to ssh by an address alone.
  return { kind: 'ssh', target: port === undefined ? login : `ssh://${login}:${port}`, name: nameOf(host) };
}

/** The first word of a host; an address of numbers as a whole. */
function nameOf(host: string): string {
  const name = /^[\d.]+$|^\[/.test(host) ? host : (host.split('.')[0] ?? host);
  return name.replace(/[^a-zA-Z0-9._-]+/g, '-').replace(/^[^a-zA-Z0-9]+|-+$/g, '') || 'worker';
}
