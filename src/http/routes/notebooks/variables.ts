// The names of a notebook with what they were when the cells that make them last ran.
import type { LiveNotebook } from '../../../notebook/index.ts';
import { type VariableRecord, variablesBody } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf, sessionParams } from './shared.ts';

export function variableRoutes(app: App, services: Services): void {
  app.get(
    '/v1/notebooks/:session_id/variables',
    {
      config: needs('notebook:read'),
      schema: {
        tags: ['cells'],
        summary: 'The names that cells define, with their types and sizes',
        params: sessionParams,
        response: { 200: variablesBody },
      },
    },
    async (request) => ({ variables: variablesOf(sessionOf(services, request.params.session_id).live) }),
  );
}

function variablesOf(live: LiveNotebook): VariableRecord[] {
  const shapes = live.shape().cells;
  return live.notebook().cells.flatMap(({ id }) => {
    const shape = shapes.get(id);
    if (!shape?.variantActive) return [];
    const sketches = live.shown(id)?.sketches ?? {};
    return shape.defines.map((name) => {
      const { type = null, rows = null, columns = null } = sketches[name] ?? {};
      return { name, cell_id: id, type, rows, columns: columns?.length ?? null };
    });
  });
}
