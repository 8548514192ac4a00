// One press for what nearly everyone does next after certain errors: a prompt without a key.
import { useNotebook } from '../notebook/context.ts';
import type { Problem } from '../state/index.ts';
import { Button } from '../ui/index.ts';

export function Remedy({ problem }: { problem: Problem }) {
  const { view } = useNotebook();
  if (problem.type !== 'NoApiKey') return null;
  return (
    <Button look="primary" onClick={() => view.send({ kind: 'panel', panel: 'settings' })}>
      Add a key
    </Button>
  );
}
