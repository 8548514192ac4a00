// Variant groups over REST.
import { z } from 'zod';
import { refusals } from '../../../errors/index.ts';
import { addVariant, chooseVariant, stateRecord, toldState } from '../../../notebook/index.ts';
import { cellRecord, detailBody, detailObjectBody, variantGroupRecord } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf } from './shared.ts';

const params = z.object({ session_id: z.string(), group_id: z.string() });
const body = z.object({ variant_groups: z.array(variantGroupRecord).readonly(), cells: z.array(cellRecord) });

export function variantRoutes(app: App, services: Services): void {
  const tags = ['variants'];

  app.post(
    '/v1/notebooks/:session_id/variant-groups/:group_id/variants',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Add a variant as a copy of the active one',
        params,
        response: {
          200: body.extend({ new_variant_name: z.string(), new_cell_id: z.string() }),
          404: detailBody,
          409: detailObjectBody,
        },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const { name, cellId } = await addVariant(
        session.live,
        request.params.group_id,
        request.caller.principal ?? 'local',
      );
      services.hubs.of(session.sessionId).broadcast('notebook_state', toldState(session));
      const { variant_groups, cells } = stateRecord(session);
      return { new_variant_name: name, new_cell_id: cellId, variant_groups, cells };
    },
  );

  app.put(
    '/v1/notebooks/:session_id/variant-groups/:group_id',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Choose the active variant, or how the group runs',
        params,
        body: z.object({
          active: z
            .string()
            .regex(/^([a-zA-Z_]\w*)?$/)
            .nullable()
            .default(null),
          mode: z
            .string()
            .regex(/^(switch|sweep)$/)
            .nullable()
            .default(null),
        }),
        response: { 200: body, 400: detailBody, 404: detailBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const { active, mode } = request.body;
      if (!active && mode === null) throw refusals.variantChoiceEmpty();
      await chooseVariant(session.live, request.params.group_id, {
        ...(active ? { active } : {}),
        ...(mode === 'switch' || mode === 'sweep' ? { mode } : {}),
      });
      services.hubs.of(session.sessionId).broadcast('notebook_state', toldState(session));
      const { variant_groups, cells } = stateRecord(session);
      return { variant_groups, cells };
    },
  );
}
