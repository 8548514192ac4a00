// What somebody sees who has no notebook yet: one button that makes one.
import { Button } from '../ui/index.ts';

export function FirstNotebook({ root, onStart }: { root: string; onStart: () => void }) {
  return (
    <section className="home-first">
      <h2>Your notebooks will be plain folders</h2>
      <p>
        One file a cell, in <code>{root}</code>. Results are cached: change one cell and only its dependents run again.
      </p>
      <Button look="primary" onClick={onStart}>
        Start your first notebook
      </Button>
      <small>Or drop a Jupyter notebook here to bring it along.</small>
    </section>
  );
}
