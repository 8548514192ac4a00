// anywidget's front end comes as a module of AMD: it asks for the base of widgets and gives its model and view.
import * as base from '@jupyter-widgets/base';

type Create = (needs: typeof base) => Record<string, unknown>;

/** Made once: its views look for what its models left. */
let made: Record<string, unknown> | undefined;
Object.assign(globalThis, {
  define: (_: readonly string[], create: Create) => {
    made = create(base);
  },
});

export async function anywidget(): Promise<Record<string, unknown>> {
  if (!made) await import('anywidget');
  return made ?? {};
}
