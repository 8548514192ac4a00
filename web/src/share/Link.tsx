// An address to take along.
import { useEffect, useState } from 'react';
import { Button, copyText, Field } from '../ui/index.ts';

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

const toldMilliseconds = 2000;

/** Says for a moment that it has copied: what it copies may be another text by then. */
export function CopyButton({ text, children }: { text: string; children: string }) {
  const [isCopied, setCopied] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has not been copied
  useEffect(() => setCopied(false), [text]);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), toldMilliseconds);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Button
      onClick={async () => {
        await copyText(text);
        setCopied(true);
      }}
    >
      {isCopied ? 'Copied' : children}
    </Button>
  );
}
