// What the person is doing on the page: where they are, in which mode, what is open. Nothing of it is the notebook's.

export type PanelName =
  | 'outline'
  | 'graph'
  | 'variables'
  | 'files'
  | 'environment'
  | 'settings'
  | 'profile'
  | 'workers';
export type OverlayName =
  | 'palette'
  | 'shortcuts'
  | 'find'
  | 'delete'
  | 'report'
  | 'explicit'
  | 'rename'
  | 'places'
  | 'assist'
  | 'share'
  | 'worker';
export type ToolName = 'tests' | 'inspect' | 'results' | 'failure' | 'iterations' | 'variants' | 'comments';

export interface View {
  readonly selected: string | null;
  /** Further cells that a command applies to. */
  readonly marked: ReadonlySet<string>;
  /** As in Jupyter: keys are commands, or they are text. */
  readonly mode: 'command' | 'edit';
  readonly collapsed: ReadonlySet<string>;
  readonly panel: PanelName | null;
  /** Which part of the panel is wanted, where it has several. */
  readonly panelPart: string | null;
  readonly overlay: OverlayName | null;
  /** What the overlay is about, where it may be about several things: a name. */
  readonly subject: string | null;
  readonly tools: ReadonlyMap<string, ToolName>;
  /** The cell whose tool somebody has just opened, until its field has the focus: one that comes back into sight takes none. */
  readonly toolToEnter: string | null;
  readonly lineNumbers: boolean;
  /** Lines that a run of the cell stops at, by the cell; a cell without any is not in it. */
  readonly breakpoints: ReadonlyMap<string, readonly number[]>;
  /** Cells that the run that is pointed at would compute. */
  readonly planned: ReadonlySet<string>;
  /** Settings that were changed here and are not saved, by their ids. */
  readonly settings: ReadonlyMap<string, unknown>;
  /** A place to go to, until somebody is there. */
  readonly jump: { readonly cellId: string; readonly line: number | null; readonly name: string | null } | null;
  /** How often there was one: going to the same place again is a change. */
  readonly jumps: number;
}

export type ViewEvent =
  | { readonly kind: 'select'; readonly cellId: string | null; readonly mode?: 'command' | 'edit' }
  | { readonly kind: 'mark'; readonly cellIds: readonly string[] }
  | { readonly kind: 'collapse'; readonly cellIds: readonly string[]; readonly collapsed: boolean }
  | { readonly kind: 'panel'; readonly panel: PanelName | null; readonly part?: string }
  | { readonly kind: 'overlay'; readonly overlay: OverlayName | null; readonly subject?: string | null }
  | { readonly kind: 'tool'; readonly cellId: string; readonly tool: ToolName | null }
  | { readonly kind: 'toolEntered' }
  | { readonly kind: 'lineNumbers' }
  | { readonly kind: 'breakpoints'; readonly cellId: string; readonly lines: readonly number[] }
  | { readonly kind: 'plan'; readonly cellIds: readonly string[] }
  /** `draft` is undefined where it is as it was saved. */
  | { readonly kind: 'setting'; readonly id: string; readonly draft: unknown }
  /** `name`: the cursor stands there in the line, else at its end. */
  | { readonly kind: 'jump'; readonly cellId: string; readonly line: number | null; readonly name?: string }
  | { readonly kind: 'arrived' };

export const firstView: View = {
  selected: null,
  marked: new Set(),
  mode: 'command',
  collapsed: new Set(),
  panel: null,
  panelPart: null,
  overlay: null,
  subject: null,
  tools: new Map(),
  toolToEnter: null,
  lineNumbers: false,
  breakpoints: new Map(),
  planned: new Set(),
  settings: new Map(),
  jump: null,
  jumps: 0,
};

export function reduceView(view: View, event: ViewEvent): View {
  switch (event.kind) {
    case 'select': {
      const mode = event.mode ?? 'command';
      if (view.selected === event.cellId && view.mode === mode && view.marked.size === 0) return view;
      return { ...view, selected: event.cellId, mode, marked: new Set(), jump: null };
    }
    case 'mark':
      return { ...view, marked: new Set(event.cellIds), mode: 'command' };
    case 'collapse': {
      const collapsed = new Set(view.collapsed);
      for (const id of event.cellIds) {
        if (event.collapsed) collapsed.add(id);
        else collapsed.delete(id);
      }
      return { ...view, collapsed };
    }
    case 'panel':
      return { ...view, panel: event.panel, panelPart: event.part ?? null };
    case 'overlay':
      return { ...view, overlay: event.overlay, subject: event.subject ?? null };
    case 'tool': {
      const tools = new Map(view.tools);
      if (event.tool === null) tools.delete(event.cellId);
      else tools.set(event.cellId, event.tool);
      return { ...view, tools, toolToEnter: event.tool === null ? null : event.cellId };
    }
    case 'toolEntered':
      return { ...view, toolToEnter: null };
    case 'lineNumbers':
      return { ...view, lineNumbers: !view.lineNumbers };
    case 'breakpoints': {
      const breakpoints = new Map(view.breakpoints);
      if (event.lines.length === 0) breakpoints.delete(event.cellId);
      else breakpoints.set(event.cellId, event.lines);
      return { ...view, breakpoints };
    }
    case 'plan':
      return { ...view, planned: new Set(event.cellIds) };
    case 'setting': {
      const settings = new Map(view.settings);
      if (event.draft === undefined) settings.delete(event.id);
      else settings.set(event.id, event.draft);
      return { ...view, settings };
    }
    case 'jump': {
      const { cellId, line, name = null } = event;
      return {
        ...view,
        selected: cellId,
        marked: new Set(),
        mode: line === null ? 'command' : 'edit',
        jump: { cellId, line, name },
        jumps: view.jumps + 1,
      };
    }
    case 'arrived':
      return view.jump === null ? view : { ...view, jump: null };
  }
}
