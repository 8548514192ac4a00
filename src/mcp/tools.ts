// The tools that agents have. With them an agent can go from nothing to a tested notebook, and hand on what it found.
import { changeTools } from './changeTools.ts';
import { lookTools } from './lookTools.ts';
import { resultTools } from './resultTools.ts';
import { runTools } from './runTools.ts';
import type { Tool } from './tool.ts';
import { workerTools } from './workerTools.ts';

export const tools: readonly Tool[] = [...lookTools, ...changeTools, ...runTools, ...workerTools, ...resultTools];
