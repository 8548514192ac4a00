// Somebody else on this notebook.
import { toneOf } from './tones.ts';

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
