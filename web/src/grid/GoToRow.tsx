// The row at which a long table stands; another number goes there.
import { useState } from 'react';
import { announce } from '../ui/index.ts';

export function GoToRow(props: { first: number; total: number; onGo: (row: number) => void }) {
  const { first, total, onGo } = props;
  const [text, setText] = useState<string | null>(null);
  return (
    <form
      className="grid-row"
      onSubmit={(event) => {
        event.preventDefault();
        const row = Math.min(Math.max(1, Math.round(Number(text?.replaceAll(/[,\s]/g, '')))), total);
        setText(null);
        if (!Number.isFinite(row)) return;
        onGo(row);
        announce(`Row ${row} of ${total}`);
      }}
    >
      <label>
        Row{' '}
        <input
          className="input"
          inputMode="numeric"
          aria-label="Go to row"
          title="Type the number of a row and press Enter"
          value={text ?? first.toLocaleString('en')}
          style={{ width: `${total.toLocaleString('en').length + 3}ch` }}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => setText(null)}
        />
      </label>
    </form>
  );
}
