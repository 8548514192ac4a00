// All settings of the notebook in one place: sections that are opened or searched, and a list of what is not saved.
import { type ComponentType, type LazyExoticComponent, lazy, Suspense, useId, useState } from 'react';
import { useModel, useNotebook, useView } from '../notebook/context.ts';
import { useStore } from '../state/index.ts';
import { Icon } from '../ui/index.ts';
import { CellSettings } from './settings/CellSettings.tsx';
import { Found } from './settings/SettingForm.tsx';
import {
  foundIn,
  labelOfSetting,
  type SectionFacts,
  type SectionName,
  sectionOf,
  sections,
} from './settings/sections.ts';
import { Variables } from './settings/Variables.tsx';
import './settings/settings.css';

type Room = ComponentType | LazyExoticComponent<ComponentType>;

const rooms: Readonly<Record<SectionName, Room>> = {
  cells: CellSettings,
  variables: Variables,
  environment: lazy(() => import('./Environment.tsx').then((room) => ({ default: room.Environment }))),
  workers: lazy(() => import('./Workers.tsx').then((room) => ({ default: room.Workers }))),
  mounts: lazy(() => import('./settings/Mounts.tsx').then((room) => ({ default: room.Mounts }))),
  connections: lazy(() => import('./settings/Connections.tsx').then((room) => ({ default: room.Connections }))),
  credentials: lazy(() => import('./settings/Credentials.tsx').then((room) => ({ default: room.Credentials }))),
  assist: lazy(() => import('./settings/Assist.tsx').then((room) => ({ default: room.Assist }))),
  limits: lazy(() => import('./settings/Limits.tsx').then((room) => ({ default: room.Limits }))),
};

export function Settings() {
  const model = useModel((state) => state);
  const [search, setSearch] = useState('');
  const wanted = useView((view) => view.panelPart);
  const drafts = useView((view) => view.settings);
  // What is not saved is in sight when the panel is opened again.
  const [open, setOpen] = useState<ReadonlySet<SectionName>>(
    () =>
      new Set(
        sections
          .filter(({ name, settings }) => name === wanted || settings.some(({ id }) => drafts.has(id)))
          .map(({ name }) => name),
      ),
  );
  const found = sections.flatMap((section) => {
    const left = foundIn(section, search, model);
    return left === undefined ? [] : [{ section, left }];
  });
  const isSearching = search.trim() !== '';
  const turn = (name: SectionName, isOpen: boolean): void => {
    const next = new Set(open);
    if (isOpen) next.add(name);
    else next.delete(name);
    setOpen(next);
  };
  return (
    <div className="settings">
      <input
        className="input"
        type="search"
        aria-label="Search settings"
        placeholder="Search settings"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <NotSaved
        onGo={(name) => {
          setSearch('');
          turn(name, true);
        }}
      />
      {found.length === 0 && <p className="panel-note">No matches</p>}
      {found.map(({ section, left }) => (
        <Found key={section.name} value={left}>
          <Section
            section={section}
            isOpen={isSearching || open.has(section.name)}
            onTurn={(isOpen) => turn(section.name, isOpen)}
          />
        </Found>
      ))}
    </div>
  );
}

function NotSaved({ onGo }: { onGo: (name: SectionName) => void }) {
  const drafts = useView((view) => view.settings);
  if (drafts.size === 0) return null;
  return (
    <p className="not-saved-list" role="status">
      Not saved:{' '}
      {[...drafts.keys()].map((id) => (
        <button
          key={id}
          type="button"
          className="link-button"
          onClick={() => {
            const name = sectionOf(id);
            if (name !== undefined) onGo(name);
          }}
        >
          {labelOfSetting(id)}
        </button>
      ))}
    </p>
  );
}

function Section({
  section,
  isOpen,
  onTurn,
}: {
  section: SectionFacts;
  isOpen: boolean;
  onTurn: (isOpen: boolean) => void;
}) {
  const { assistant } = useNotebook();
  const summary = useModel(section.summary);
  const helper = useStore(assistant, ({ model }) => model ?? 'off');
  const isDirty = useView(({ settings }) => section.settings.some(({ id }) => settings.has(id)));
  const contents = useId();
  const Room = rooms[section.name];
  return (
    <section className="settings-section">
      <h3>
        <button
          type="button"
          className="settings-title"
          aria-expanded={isOpen}
          aria-controls={contents}
          onClick={() => onTurn(!isOpen)}
        >
          <Icon name="chevron" size={14} />
          <span>{section.title}</span>
          {isDirty && <span className="not-saved">not saved</span>}
          <small className="settings-summary">{section.name === 'assist' ? helper : summary}</small>
        </button>
      </h3>
      <div id={contents} hidden={!isOpen}>
        {isOpen && (
          <Suspense fallback={null}>
            <Room />
          </Suspense>
        )}
      </div>
    </section>
  );
}
