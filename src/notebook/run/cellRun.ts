// What is asked of one run of one cell.
import type { Job } from '../../runtimes/index.ts';
import type { WriteTableAnnotation } from '../annotations/index.ts';
import type { OutsideLook } from '../languages/index.ts';
import type { StoredValue } from '../state/index.ts';

export interface CellRun extends Omit<Job, 'outputDir' | 'inputs'> {
  readonly notebookId: string;
  /** Empty for the cell itself; `@iter=3` or `@variant=a` for one of several runs that make up its result. */
  readonly part: string;
  readonly key: string;
  readonly sourceDigest: string;
  readonly environmentHash: string;
  readonly tableWrites: readonly WriteTableAnnotation[];
  /** Names of folders that the cell writes to. */
  readonly outputDirs: readonly string[];
  /** What earlier steps of a loop left in them; a folder that is not here begins empty. */
  readonly folders?: ReadonlyMap<string, StoredValue>;
  /** The values that wired names stand for. */
  readonly inputs: ReadonlyMap<string, StoredValue>;
  /** What was found of what the cell reads from outside the notebook. */
  readonly outside: OutsideLook | undefined;
  /** False for a run that takes nothing from before. */
  readonly useKept: boolean;
  /** Whether its result would be the same wherever its key is. */
  readonly isShareable: boolean;
  /** Names that are given to code which travels as source: inputs, or variables of the cell that are stored with it. */
  readonly lent: readonly string[];
}
