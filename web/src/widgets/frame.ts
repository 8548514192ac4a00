// Widgets of ipywidgets and anywidget in the frame of an output, by their own front ends. Built to stand alone: the page hands it to
// the frame as text, since nothing can be loaded there, and an exported page holds it.

import icons from '@fortawesome/fontawesome-free/css/fontawesome.min.css?inline';
import iconFont from '@fortawesome/fontawesome-free/css/solid.min.css?inline';
import * as base from '@jupyter-widgets/base';
import { put_buffers } from '@jupyter-widgets/base';
import baseStyle from '@jupyter-widgets/base/css/index.css?inline';
import { ManagerBase } from '@jupyter-widgets/base-manager';
import * as controls from '@jupyter-widgets/controls';
import controlsStyle from '@jupyter-widgets/controls/css/widgets-base.css?inline';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import type { WidgetModel, WidgetView } from '../../../src/widgetView.ts';
import { anywidget } from './anywidget.ts';
import { FrameComm, tell } from './comm.ts';
import { type CommMessage, widgetWordOf } from './messages.ts';
import { OutputModel, OutputView } from './output.ts';
import theme from './theme.css?inline';

const modules: Readonly<Record<string, () => Promise<object>>> = {
  '@jupyter-widgets/base': async () => base,
  '@jupyter-widgets/controls': async () => controls,
  '@jupyter-widgets/output': async () => ({ OutputModel, OutputView }),
  anywidget,
};

class Manager extends ManagerBase {
  readonly #comms = new Map<string, FrameComm>();

  protected override async loadClass(className: string, moduleName: string): Promise<never> {
    const found = Object.entries((await modules[moduleName]?.()) ?? {}).find(([name]) => name === className)?.[1];
    if (found === undefined)
      throw new Error(`What shows widgets of ${moduleName} is not here, and nothing is loaded from elsewhere.`);
    return found as never;
  }

  protected override async _create_comm(_target: string, id: string): Promise<FrameComm> {
    return this.#comm(id);
  }

  protected override async _get_comm_info(): Promise<object> {
    return {};
  }

  /** All at once: they name each other. */
  async restore(models: Readonly<Record<string, WidgetModel>>): Promise<void> {
    await Promise.all(
      Object.entries(models).map(([id, { state, buffers = [], ...kind }]) => {
        const whole: Record<string, unknown> = { ...state };
        const paths = buffers.map(({ path }) => path);
        put_buffers(
          whole as never,
          paths,
          buffers.map(({ data }) => new DataView(bytesOf(data))),
        );
        return this.new_model({ ...kind, model_id: id, comm: this.#comm(id) }, whole as never);
      }),
    );
  }

  hear(message: CommMessage): void {
    const { model, kind, data, buffers } = message;
    if (kind !== 'comm_open') {
      this.#comms.get(model)?.hear(message);
      if (kind === 'comm_close') this.#comms.delete(model);
      return;
    }
    if (this.has_model(model)) return;
    const opened = {
      content: { data },
      metadata: { version: base.PROTOCOL_VERSION },
      buffers: buffers.map((one) => new DataView(one)),
    };
    this.handle_comm_open(this.#comm(model), opened as never).catch(console.error);
  }

  #comm(id: string): FrameComm {
    const comm = this.#comms.get(id) ?? new FrameComm(id);
    this.#comms.set(id, comm);
    return comm;
  }
}

const bytesOf = (base64: string): ArrayBuffer => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0)).buffer;

async function show({ model_id, text, widgets }: WidgetView): Promise<void> {
  const style = document.createElement('style');
  style.textContent = [theme, baseStyle, controlsStyle, icons, iconFont].join('\n');
  const place = document.createElement('div');
  place.className = 'widgets';
  document.body.append(style, place);
  const manager = new Manager();
  for (const event of ['pointerdown', 'keydown']) addEventListener(event, () => tell('touched'), { capture: true });
  try {
    await manager.restore(widgets.state);
    const view = await manager.create_view(await manager.get_model(model_id));
    attach(view as base.DOMWidgetView, place);
    addEventListener('message', ({ source, data }) => {
      const word = source === parent ? widgetWordOf(data) : null;
      if (word !== null && typeof word === 'object') manager.hear(word);
    });
    tell('ready');
  } catch (problem) {
    place.textContent = `${text}\nThis widget cannot be shown: ${problem instanceof Error ? problem.message : problem}`;
  }
}

function attach(view: base.DOMWidgetView, place: HTMLElement): void {
  const widget = view.luminoWidget;
  Widget.attach(widget, place);
  addEventListener('resize', () => MessageLoop.postMessage(widget, Widget.ResizeMessage.UnknownSize));
}

Object.assign(globalThis, { svcShowWidget: show });
