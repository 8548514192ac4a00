// Parts of an app of which one is shown at a time; on paper all of them, under their names.
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { usePrinting } from '../ui/index.ts';

interface Tab {
  readonly name: string;
  readonly content: ReactNode;
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs({ tabs }: { tabs: readonly Tab[] }) {
  const [chosen, choose] = useState(tabs[0]?.name);
  const isPrinting = usePrinting();
  const id = useId();
  const shown = tabs.find(({ name }) => name === chosen) ?? tabs[0];

  function walk(event: KeyboardEvent<HTMLElement>): void {
    const step = steps[event.key];
    if (step === undefined || !shown) return;
    const next = (tabs.indexOf(shown) + step + tabs.length) % tabs.length;
    choose(tabs[next]?.name);
    const buttons = event.currentTarget.querySelectorAll('button');
    buttons[next]?.focus();
  }

  if (isPrinting)
    return tabs.map(({ name, content }) => (
      <section key={name} className="app-tab">
        <h2>{name}</h2>
        <div className="app-grid">{content}</div>
      </section>
    ));
  return (
    <div className="app-tab">
      <div role="tablist" onKeyDown={walk}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            aria-selected={tab === shown}
            aria-controls={id}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => choose(tab.name)}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div key={shown?.name} id={id} role="tabpanel" aria-label={shown?.name} className="app-grid">
        {shown?.content}
      </div>
    </div>
  );
}
