// The panels at hand, one button each.

import { useNotebook, useView } from '../notebook/context.ts';
import type { PanelName } from '../notebook/view.ts';
import { Icon, type IconName } from '../ui/index.ts';

const panels: readonly [name: PanelName, icon: IconName, label: string][] = [
  ['outline', 'outline', 'Outline'],
  ['graph', 'graph', 'Graph'],
  ['variables', 'variables', 'Variables'],
  ['files', 'folder', 'Files'],
  ['environment', 'box', 'Environment'],
  ['profile', 'clock', 'Time'],
  ['settings', 'settings', 'Settings'],
  ['workers', 'server', 'Workers'],
];

export function Rail() {
  const { view } = useNotebook();
  const open = useView((state) => state.panel);
  const isUnsaved = useView((state) => state.settings.size > 0);
  return (
    <nav className="rail" aria-label="Panels">
      {panels.map(([name, icon, label], index) => (
        <button
          key={name}
          type="button"
          className="rail-button"
          aria-label={label}
          title={`${label} (${index + 1})${name === 'settings' && isUnsaved ? ': some are not saved' : ''}`}
          aria-pressed={open === name}
          onClick={() => view.send({ kind: 'panel', panel: open === name ? null : name })}
        >
          <Icon name={icon} size={18} />
          {name === 'settings' && isUnsaved && <span className="rail-mark" aria-hidden="true" />}
        </button>
      ))}
    </nav>
  );
}
