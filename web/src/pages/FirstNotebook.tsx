// What somebody sees who has no notebook yet: one button that makes one.
import { Button } from '../ui/index.ts';

export function FirstNotebook({ root, onStart }: { root: string; onStart: () => void }) {
  return (
    <section className="home-first">
      <h2>Your notebooks will be plain folders</h2>
      <p>
        One file a cell, in <code>{root}</code>. Every result is kept under how it came about: change one cell, and only
        what depends on it runs again.
      </p>
      <Button look="primary" onClick={onStart}>
        Start your first notebook
      </Button>
      <small>Or drop a Jupyter notebook here to bring it along.</small>
    </section>
  );
}
