// What this server is set to.
import { cellLimitsBody, timeoutsBody } from '../../protocol/index.ts';
import { cellLimitsTold, timeoutGroups } from '../../settings/index.ts';
import { anyCaller } from '../access.ts';
import type { App, Services } from '../services.ts';

export function configRoutes(app: App, { settings }: Services): void {
  const schema = {
    tags: ['operations'],
    summary: 'Every timeout setting, by what it bounds',
    response: { 200: timeoutsBody },
  };
  app.get('/v1/config/timeouts', { config: anyCaller(), schema }, async () => timeoutGroups(settings));

  app.get(
    '/v1/config/cells',
    {
      config: anyCaller(),
      schema: {
        tags: ['operations'],
        summary: 'What one cell may take on this server, and the settings that say so',
        response: { 200: cellLimitsBody },
      },
    },
    async () => cellLimitsTold(settings),
  );
}
