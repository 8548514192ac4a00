// Small pieces: status dot, chip, key, field, message, progress.
import { type ReactNode, useId } from 'react';
import './small.css';

export function Dot({ status, label }: { status: string; label?: string }) {
  return label === undefined ? (
    <span className={`dot ${status}`} aria-hidden="true" />
  ) : (
    <span className={`dot ${status}`} role="img" aria-label={label} title={label} />
  );
}

export function Chip({ tone = 'plain', title, children }: { tone?: string; title?: string; children: ReactNode }) {
  return (
    <span className={`chip ${tone}`} title={title}>
      {children}
    </span>
  );
}

const isApple = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

const signs: Readonly<Record<string, string>> = { Up: '↑', Down: '↓', Left: '←', Right: '→' };

/** `Mod-k` as the keyboard in front of the person has it. */
export const keyText = (keys: string): string =>
  keys
    .replace(/Arrow(\w+)/, (whole, side: string) => signs[side] ?? whole)
    .replace('Minus', '−')
    .replace(/^Mod.*-[a-z]$/, (chord) => chord.slice(0, -1) + chord.slice(-1).toUpperCase())
    .replace('Mod', isApple ? '⌘' : 'Ctrl')
    .replace('Shift', isApple ? '⇧' : 'Shift')
    .replace('Alt', isApple ? '⌥' : 'Alt')
    .replaceAll('-', isApple ? '' : ' ');

export function Keys({ keys }: { keys: string }) {
  return <kbd>{keyText(keys)}</kbd>;
}

export function Field({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: string;
  children: (id: string, hintId: string | undefined) => ReactNode;
}) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id, hintId)}
      {hint !== undefined && (
        <small id={hintId} className="field-hint">
          {hint}
        </small>
      )}
    </div>
  );
}

/** Something is not there, empty or wrong: one sentence and what to do. */
export function Message({
  tone = 'plain',
  children,
  action,
}: {
  tone?: 'plain' | 'error' | 'stale';
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`message ${tone}`} role={tone === 'error' ? 'alert' : undefined}>
      <p>{children}</p>
      {action}
    </div>
  );
}

export function Progress({ value, label }: { value: number | null; label: string }) {
  return <progress className="progress" aria-label={label} max={1} {...(value === null ? {} : { value })} />;
}
