// Every key there is, as the commands name them.
import { Dialog, Keys } from '../ui/index.ts';
import { commands } from './commands.ts';
import { useNotebook } from './context.ts';
import { isTheirs } from './rights.ts';

const groups = ['Run', 'Cells', 'Go', 'View', 'Notebook'] as const;

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const session = useNotebook();
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} wide>
      <p>
        Escape leaves the text of a cell, Enter goes back into it. Single keys work outside the text; those with a
        modifier everywhere. While you type, Tab takes what is offered, and Shift+Tab explains what the cursor is on.
      </p>
      <div className="shortcuts">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {commands
                .filter((command) => command.group === group && command.keys.length > 0 && isTheirs(session, command))
                .map(({ id, title, keys }) => (
                  <div key={id}>
                    <dt>{title}</dt>
                    <dd>
                      {keys.map((chord) => (
                        <Keys key={chord} keys={chord} />
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
