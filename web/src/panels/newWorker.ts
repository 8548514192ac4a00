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
  const target = written.replace(/^ssh(:\/\/|\s+)/, '');
  const [, host] = /^(?:[\w.-]+@)?([\w.-]+)$/.exec(target) ?? [];
  // A bare word may be meant as anything; whoever says ssh or user@ means ssh.
  if (host === undefined || (target === written && !target.includes('@'))) return { problem: words };
  return { kind: 'ssh', target, name: nameOf(host) };
}

/** The first word of a host; an address of numbers as a whole. */
function nameOf(host: string): string {
  const name = /^[\d.]+$|^\[/.test(host) ? host : (host.split('.')[0] ?? host);
  return name.replace(/[^a-zA-Z0-9._-]+/g, '-').replace(/^[^a-zA-Z0-9]+|-+$/g, '') || 'worker';
}
