// The way to import for those who do not drop files.
import { useRef } from 'react';
import type { FileBeside } from '../filesBeside.ts';
import { Button } from '../ui/index.ts';
import { chosenFiles } from './broughtFiles.ts';

export function ImportButton({ onFiles }: { onFiles: (files: readonly FileBeside[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        aria-label="A notebook to import, and files beside it"
        hidden
        onChange={(event) => {
          const files = chosenFiles(event.target.files ?? []);
          event.target.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
      <Button onClick={() => input.current?.click()}>Import</Button>
    </>
  );
}
