// The `Output` widget: what a cell printed and showed in it. Jupyter's own brings half of JupyterLab along.
import { DOMWidgetModel, DOMWidgetView, type DOMWidgetModel as Model } from '@jupyter-widgets/base';
import { widgetType } from '../../../src/widgetType.ts';

interface Shown {
  readonly output_type: string;
  readonly text?: string | readonly string[];
  readonly name?: string;
  readonly traceback?: readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
}

export class OutputModel extends DOMWidgetModel {
  override defaults() {
    const names = { _model_name: 'OutputModel', _view_name: 'OutputView' };
    const home = { _model_module: '@jupyter-widgets/output', _view_module: '@jupyter-widgets/output' };
    return { ...super.defaults(), ...names, ...home, msg_id: '', outputs: [] };
  }
}

const joined = (text: unknown): string => (Array.isArray(text) ? text.join('') : String(text ?? ''));
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals
const colours = /\u001b\[[\d;]*m/g;

export class OutputView extends DOMWidgetView {
  override render(): void {
    super.render();
    this.el.classList.add('jupyter-widgets-output-area');
    this.listenTo(this.model, 'change:outputs', () => this.#draw());
    this.#draw();
  }

  async #draw(): Promise<void> {
    const outputs: readonly Shown[] = this.model.get('outputs') ?? [];
    const parts = await Promise.all(outputs.map((output) => this.#part(output)));
    if (outputs === this.model.get('outputs')) this.el.replaceChildren(...parts);
  }

  async #part({ output_type: type, text, name, traceback = [], data = {} }: Shown): Promise<Node> {
    if (type === 'stream') return block(joined(text), name === 'stderr' ? 'stderr' : '');
    if (type === 'error') return block(traceback.join('\n').replaceAll(colours, ''), 'error');
    const view = data[widgetType];
    if (typeof view === 'object' && view !== null && 'model_id' in view) {
      const model = await this.model.widget_manager.get_model(String(view.model_id));
      const child = await this.create_child_view(model as Model);
      return child.el;
    }
    if (data['text/html'] !== undefined) return markup(joined(data['text/html']));
    if (data['image/svg+xml'] !== undefined) return markup(joined(data['image/svg+xml']));
    for (const picture of ['image/png', 'image/jpeg', 'image/gif'])
      if (data[picture] !== undefined) return image(`data:${picture};base64,${joined(data[picture])}`);
    return block(joined(data['text/markdown'] ?? data['text/latex'] ?? data['text/plain']), '');
  }
}

function block(text: string, look: string): HTMLElement {
  const element = document.createElement('pre');
  element.className = `output ${look}`;
  element.textContent = text;
  return element;
}

function image(source: string): HTMLElement {
  const element = document.createElement('img');
  element.src = source;
  element.alt = 'Output';
  return element;
}

/** Scripts in it run: all of this is in a frame of its own. */
function markup(html: string): HTMLElement {
  const element = document.createElement('div');
  const range = document.createRange();
  range.selectNode(document.body);
  element.append(range.createContextualFragment(html));
  return element;
}
