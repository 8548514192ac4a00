// A list of things with a name, each opened to change it: mounts, connections.
import { type ReactNode, useState } from 'react';
import { Button, Icon, IconButton } from '../../ui/index.ts';

export interface EntriesProps<Entry> {
  readonly entries: readonly Entry[];
  /** `mount`, in the names of buttons. */
  readonly noun: string;
  readonly made: () => Entry;
  readonly onChange: (entries: readonly Entry[]) => void;
  readonly fields: (entry: Entry, change: (entry: Entry) => void) => ReactNode;
  /** What stands under an entry that is saved as it is. */
  readonly beside?: (entry: Entry) => ReactNode;
}

export function Entries<Entry extends { readonly name: string }>(props: EntriesProps<Entry>) {
  const { entries, noun, made, onChange, fields, beside } = props;
  const [open, setOpen] = useState<number | null>(null);
  const change = (index: number, entry: Entry): void =>
    onChange(entries.map((one, at) => (at === index ? entry : one)));
  return (
    <>
      <ul className="entries">
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry is what stands in its place, whatever it is called
          <li key={index}>
            <div className="entry-head">
              <button
                type="button"
                className="entry-name"
                aria-expanded={open === index}
                aria-label={`Edit ${entry.name || `the new ${noun}`}`}
                onClick={() => setOpen(open === index ? null : index)}
              >
                <Icon name="chevron" size={12} />
                <span>{entry.name || `New ${noun}`}</span>
              </button>
              <IconButton
                icon="close"
                size={12}
                label={`Remove ${entry.name || `the new ${noun}`}`}
                onClick={() => {
                  setOpen(null);
                  onChange(entries.filter((_, at) => at !== index));
                }}
              />
            </div>
            {open === index && <div className="entry-fields">{fields(entry, (next) => change(index, next))}</div>}
            {beside?.(entry)}
          </li>
        ))}
      </ul>
      <Button
        onClick={() => {
          onChange([...entries, made()]);
          setOpen(entries.length);
        }}
      >
        Add a {noun}
      </Button>
    </>
  );
}

/** A line of an entry. */
export function Line({
  label,
  value,
  example = '',
  type = 'text',
  onChange,
}: {
  label: string;
  value: string;
  example?: string;
  type?: 'text' | 'password';
  onChange: (value: string) => void;
}) {
  return (
    <label className="labelled">
      <span>{label}</span>
      <input
        className="input mono"
        type={type}
        autoComplete="off"
        placeholder={example}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

export const missingName = (entries: readonly { readonly name: string }[], noun: string): string | null =>
  entries.some(({ name }) => name === '') ? `The new ${noun} has no name: cells use it by its name.` : null;

/** What is wrong with names that cells use. */
export function objectionToNames(entries: readonly { readonly name: string }[]): string | null {
  const names = entries.map(({ name }) => name).filter((name) => name !== '');
  const odd = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (odd !== undefined) return `${odd}: use letters, digits and _, and do not begin with a digit.`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? null : `${twice} is there twice: give one of them another name.`;
}
