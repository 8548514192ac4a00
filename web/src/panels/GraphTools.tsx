// Over the graph: a name to look for, and which cells are drawn.

const scopes = ['all', 'above', 'below', 'around'] as const;
export type Scope = (typeof scopes)[number];
const scopeNames: Readonly<Record<Scope, string>> = {
  all: 'All cells',
  above: 'Cells above',
  below: 'Cells below',
  around: 'Above, below',
};

interface GraphToolsProps {
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** Goes to the next cell that was found. */
  readonly onNext: () => void;
  readonly matches: number;
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
}

export function GraphTools({ search, onSearch, onNext, matches, scope, onScope }: GraphToolsProps) {
  return (
    <div className="graph-tools">
      <input
        className="input"
        type="search"
        aria-label="Find in the graph"
        placeholder="Find a name"
        value={search}
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onNext();
        }}
      />
      <select
        className="input"
        aria-label="Which cells"
        value={scope}
        onChange={(event) => onScope(scopes.find((one) => one === event.target.value) ?? 'all')}
      >
        {scopes.map((one) => (
          <option key={one} value={one}>
            {scopeNames[one]}
          </option>
        ))}
      </select>
      {search !== '' && <small role="status">{matches === 1 ? '1 match' : `${matches || 'No'} matches`}</small>}
    </div>
  );
}
