// Somebody else on this notebook.
const tones = ['var(--cached)', 'var(--ready)', 'var(--accent)', 'var(--stale)', 'var(--error)'];

/** The colour of a person, the same wherever they are seen. */
export function toneOf(name: string): string {
  let sum = 0;
  for (const sign of name) sum += sign.codePointAt(0) ?? 0;
  return tones[sum % tones.length] ?? 'var(--accent)';
}

export function Avatar({ name, note }: { name: string; note: string }) {
  return (
    <span
      className="avatar"
      style={{ background: toneOf(name) }}
      role="img"
      aria-label={`${name} ${note}`}
      title={`${name} ${note}`}
    >
      {name.slice(0, 1).toUpperCase()}
    </span>
  );
}
