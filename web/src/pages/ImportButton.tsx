// The way to import for those who do not drop files.
import { useRef } from 'react';
import { Button } from '../ui/index.ts';

export function ImportButton({ onFile }: { onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".ipynb,.py,.zip"
        aria-label="File to import"
        hidden
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = '';
          if (file) onFile(file);
        }}
      />
      <Button onClick={() => input.current?.click()}>Import</Button>
    </>
  );
}
