// One round: a service under load, one fault at a moment that the seed draws, and what has to hold afterwards.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { randomFrom } from '../kit/random.ts';
import { findingsOf, timeToAnswer } from './checks.ts';
import type { Fault, Struck } from './fault.ts';
import { type Load, startLoad } from './load/load.ts';
import type { Surroundings } from './surroundings.ts';
import { createWorld, type World } from './world.ts';

export interface Outcome {
  readonly seed: number;
  readonly fault: string;
  /** In a few words, what was there and what was hit. */
  readonly told: string;
  readonly findings: readonly string[];
  /** From the restart of the server, or from the end of the fault where it lived on, until it answers. */
  readonly answersAfterMs: number | undefined;
  /** What was answered for, and what was refused or broken off, by kind. */
  readonly counts: ReadonlyMap<string, number>;
  /** Kept when something was found. */
  readonly home: string;
}

/** On a machine that is withheld from us a slow answer is no finding; one that takes this long is. */
export const slowestMs = 10_000;
/** How long the last answers may take after the fault. */
const lastAnswersMs = 60_000;

export async function playRound(surroundings: Surroundings, fault: Fault, seed: number): Promise<Outcome> {
  const random = randomFrom(seed);
  const [before, during] = [500 + random.below(2500), random.below(fault.lastsBelow)];
  const world = await createWorld(surroundings, random, fault.needs ?? {});
  const findings: string[] = [];
  let load: Load | undefined;
  let what = 'nothing';
  let answersAfterMs: number | undefined;
  try {
    await fault.prepare?.(world);
    load = await startLoad(world);
    await pause(before);
    const struck = await fault.strike(world);
    what = struck.what;
    await pause(during);
    answersAfterMs = await recover(world, struck, load, findings);
    if (answersAfterMs === undefined) findings.push('the service never answered again');
    else {
      if (answersAfterMs > slowestMs) findings.push(`the service answered after ${Math.round(answersAfterMs)} ms only`);
      findings.push(...(await findingsOf(world, load.ledger)));
    }
  } catch (error) {
    findings.push(`the round broke: ${error instanceof Error ? error.stack : String(error)}`);
  }
  if (findings.length > 0) fs.writeFileSync(path.join(world.home, 'server.log'), world.output());
  await world.close(findings.length > 0);
  const told = `${what} after ${before} ms for ${during} ms; ${world.database}, ${world.bytes}${world.remote ? ', worker' : ''}`;
  return {
    seed,
    fault: fault.name,
    told,
    findings,
    answersAfterMs,
    counts: load?.ledger.counts ?? new Map(),
    home: world.home,
  };
}

/** Lifts the fault and starts the server where it ended; gives how long it takes to answer. */
async function recover(world: World, struck: Struck, load: Load, findings: string[]): Promise<number | undefined> {
  await struck.lift();
  let since = performance.now();
  if (world.isDead() && !struck.endsServer) findings.push('the server ended of a fault that was not its own');
  // A moment of work in which nothing is wrong any more.
  if (!world.isDead()) await pause(300);
  const isDead = world.isDead();
  const answered = isDead ? undefined : timeToAnswer(world, since);
  const waiting = await load.stop(lastAnswersMs);
  if (waiting > 0) findings.push(`${waiting} requests have no answer ${lastAnswersMs / 1000} s after the fault`);
  if (!isDead) return answered;
  since = performance.now();
  await world.restart();
  return timeToAnswer(world, since);
}
