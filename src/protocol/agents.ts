// What agents do in an open notebook, as it is told to whoever watches.
import { z } from 'zod';

const agentAct = z.object({
  id: z.string(),
  /** The caller, the name that the agent gave itself, or just `agent`. */
  who: z.string(),
  tool: z.string(),
  /** The same in words. */
  title: z.string(),
  cell_id: z.string().nullable(),
  /** In the agent's own words. */
  why: z.string().nullable(),
  /** Seconds since 1970. */
  since: z.number(),
});

export const agentActivityBody = z.object({
  /** Under way now. */
  acts: z.array(agentAct),
  /** Over, the latest first. */
  recent: z.array(agentAct.extend({ outcome: z.enum(['done', 'failed', 'stopped']) })),
  /** Who has stopped agents in this notebook; null while they may go on. */
  stopped_by: z.string().nullable(),
});

export type AgentActRecord = z.infer<typeof agentAct>;
export type AgentActivityBody = z.infer<typeof agentActivityBody>;
