// Whether bytes are an Arrow stream, and what they hold, while they pass to where they are kept.
import { ArrowInvalid, createArrowScan } from '../artifacts/index.ts';
import type { Upload } from './attempts.ts';

/** Looks at bytes as they pass; what is wrong with them is told in the end, to whoever finishes the build. */
export function watchArrow() {
  const scan = createArrowScan();
  let problem: string | undefined;
  const noting = (error: unknown): void => {
    if (!(error instanceof ArrowInvalid)) throw error;
    problem = error.message;
  };
  return {
    watch(piece: Uint8Array): void {
      if (problem !== undefined) return;
      try {
        scan.push(piece);
      } catch (error) {
        noting(error);
      }
    },
    async finish(): Promise<Pick<Upload, 'facts' | 'problem'>> {
      const facts = problem === undefined ? await scan.finish().catch(noting) : undefined;
      return { facts: facts ?? undefined, problem: problem ?? '' };
    },
  };
}
