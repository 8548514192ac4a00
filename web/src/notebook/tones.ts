// The colours of people, the same wherever they are seen on this page; two of them share one only when there are more than colours.
const tones = ['var(--cached)', 'var(--ready)', 'var(--accent)', 'var(--stale)', 'var(--error)'];

/** Whoever was seen first has the colour of their name, whoever comes later the next that is free. */
export function createTones(): (name: string) => string {
  const given = new Map<string, number>();
  function choose(name: string): number {
    const own = [...name].reduce((sum, sign) => sum + (sign.codePointAt(0) ?? 0), 0) % tones.length;
    const taken = new Set(given.values());
    const next = tones.map((_, step) => (own + step) % tones.length).find((tone) => !taken.has(tone)) ?? own;
    given.set(name, next);
    return next;
  }
  return (name) => tones[given.get(name) ?? choose(name)] ?? 'var(--accent)';
}

export const toneOf = createTones();
