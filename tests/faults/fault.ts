// Something that goes wrong around a service, or in it.
import type { Needs, World } from './world.ts';

export interface Struck {
  /** What was hit, in a few words. */
  readonly what: string;
  /** Whether the server itself was ended by it. */
  readonly endsServer?: boolean;
  /** Makes the surroundings whole again, as whoever watches over them would. Never the server. */
  lift(): Promise<void>;
}

export interface Fault {
  readonly name: string;
  /** For the report. */
  readonly says: string;
  readonly needs?: Needs;
  /** Why it cannot be made here; undefined when it can. */
  unavailable?(): string | undefined;
  /** What has to be there before the load begins. */
  prepare?(world: World): Promise<void>;
  /** Makes it happen now. */
  strike(world: World): Promise<Struck>;
  /** How long it lasts at most, in ms, before it is lifted; the seed draws below it. */
  readonly lastsBelow: number;
}
