// The person's word to agents in a notebook.
import { request } from './client.ts';

export const stopAgents = (sessionId: string): Promise<unknown> =>
  request('POST', `/v1/notebooks/${encodeURIComponent(sessionId)}/agents/stop`);

export const letAgentsGoOn = (sessionId: string): Promise<unknown> =>
  request('POST', `/v1/notebooks/${encodeURIComponent(sessionId)}/agents/go-on`);
