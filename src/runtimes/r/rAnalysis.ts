// What R sources define and read, found by R itself and remembered by source. Where R is missing, or does not answer in time,
// a source has no names; that is not remembered.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CellUser } from '../cellUser.ts';
import type { CellPolicy } from '../environment.ts';
import { startR } from './rProcess.ts';

export interface RNames {
  readonly defines: readonly string[];
  readonly references: readonly string[];
}

const none: RNames = { defines: [], references: [] };
const names = z.array(z.string());
const answerSchema = z.array(z.object({ defines: names, references: names }));
const limitSeconds = 10;
const remembered = 1000;

export interface RAnalysisParts {
  /** Undefined when this machine has no R. */
  readonly rscript: () => string | undefined;
  readonly policy: CellPolicy;
  /** Undefined: the server's own. */
  readonly user: () => Promise<CellUser | undefined>;
}

export function createRAnalysis({ rscript, policy, user }: RAnalysisParts) {
  const known = new Map<string, RNames>();
  const keyOf = (source: string): string => createHash('sha256').update(source).digest('hex');

  async function ask(program: string, sources: readonly string[]): Promise<readonly RNames[]> {
    let answer = '';
    const analysis = await startR({ rscript: program, program: 'analyse.R', policy, user: await user() });
    const limit = setTimeout(analysis.kill, limitSeconds * 1000);
    analysis.hear((stream, bytes) => {
      if (stream === 'stdout') answer += bytes.toString('utf8');
    });
    analysis.say(JSON.stringify(sources));
    analysis.sayNoMore();
    const { status } = await analysis.ended.finally(() => clearTimeout(limit));
    return status === 0 ? answerSchema.length(sources.length).parse(JSON.parse(answer)) : [];
  }

  return async (sources: readonly string[]): Promise<readonly RNames[]> => {
    const program = rscript();
    const fresh = [...new Set(sources)].filter((source) => !known.has(keyOf(source)));
    if (program !== undefined && fresh.length > 0) {
      const found = await ask(program, fresh).catch(() => []);
      for (const [index, one] of found.entries()) known.set(keyOf(fresh[index] ?? ''), one);
      for (const key of [...known.keys()].slice(0, Math.max(0, known.size - remembered))) known.delete(key);
    }
    return sources.map((source) => known.get(keyOf(source)) ?? none);
  };
}
