// An address to take along.
import { useState } from 'react';
import { announce, Button, Field } from '../ui/index.ts';

export function Link({ label, hint, value }: { label: string; hint: string; value: string }) {
  return (
    <div className="share-link">
      <Field label={label} hint={hint}>
        {(id, hintId) => (
          <input
            id={id}
            aria-describedby={hintId}
            className="input mono"
            readOnly
            value={value}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
      </Field>
      <CopyButton text={value}>Copy</CopyButton>
    </div>
  );
}

export function CopyButton({ text, children }: { text: string; children: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Button
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        setCopied(true);
        announce('Copied');
      }}
    >
      {isCopied ? 'Copied' : children}
    </Button>
  );
}
