// Somebody else on this notebook.
const tones = ['var(--cached)', 'var(--ready)', 'var(--accent)', 'var(--stale)', 'var(--error)'];

export function Avatar({ name, note }: { name: string; note: string }) {
  let sum = 0;
  for (const sign of name) sum += sign.codePointAt(0) ?? 0;
  return (
    <span
      className="avatar"
      style={{ background: tones[sum % tones.length] }}
      role="img"
      aria-label={`${name} ${note}`}
      title={`${name} ${note}`}
    >
      {name.slice(0, 1).toUpperCase()}
    </span>
  );
}
