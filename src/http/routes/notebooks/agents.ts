// What agents do in an open notebook, and the person's word that they stop or go on.
import type { AgentActivity } from '../../../desk/index.ts';
import { agentActivityBody, detailBody } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { authorOf, sessionOf, sessionParams } from './shared.ts';

const tags = ['agents'];
const response = { 200: agentActivityBody, 404: detailBody };

export function agentRoutes(app: App, services: Services): void {
  function activityOf(sessionId: string): AgentActivity {
    const { live } = sessionOf(services, sessionId);
    return services.agents.of(live, (view) => services.hubs.of(sessionId).stand('agent_activity', view, true));
  }

  app.get(
    '/v1/notebooks/:session_id/agents',
    {
      config: needs('notebook:read'),
      schema: { tags, summary: 'What agents do in the notebook, and did last', params: sessionParams, response },
    },
    async (request) => activityOf(request.params.session_id).view(),
  );

  app.post(
    '/v1/notebooks/:session_id/agents/stop',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'End what agents do here, and let them change and run nothing until they may go on',
        params: sessionParams,
        response,
      },
    },
    async (request) => {
      const activity = activityOf(request.params.session_id);
      activity.stop(authorOf(request.caller.principal, null));
      return activity.view();
    },
  );

  app.post(
    '/v1/notebooks/:session_id/agents/go-on',
    {
      config: needs('notebook:execute'),
      schema: { tags, summary: 'Let agents change and run cells again', params: sessionParams, response },
    },
    async (request) => {
      const activity = activityOf(request.params.session_id);
      activity.goOn();
      return activity.view();
    },
  );
}
