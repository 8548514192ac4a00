// Measures the lines one after the other. Within a line everything is measured in turns, round by round, so that a slow
// minute of the machine falls on ours and on what it is held against alike.
import { type Budget, type Context, holds, type Line, type Measure, type Unit } from './line.ts';
import { NotMeasured } from './notMeasured.ts';
import type { PeerSource } from './programs/peers.ts';
import { createSandbox } from './sandbox.ts';
import { type Summary, summarise } from './statistics.ts';

export interface Rounds {
  /** For ours and for limits. */
  readonly own: number;
  /** Peers take seconds to start and their figures are far off ours: fewer rounds tell enough. */
  readonly peers: number;
}

export type Kind = 'ours' | 'limit' | 'peer';

export interface Finding {
  readonly kind: Kind;
  readonly name: string;
  readonly result: { readonly summary: Summary } | { readonly notMeasured: string } | { readonly failure: string };
}

export interface LineReport {
  readonly name: string;
  readonly unit: Unit;
  readonly budget: Budget | undefined;
  /** Undefined without a budget or without a figure. */
  readonly holds: boolean | undefined;
  /** Ours comes first. */
  readonly findings: readonly Finding[];
}

export interface RunOptions {
  readonly rounds: Rounds;
  readonly peers: PeerSource;
  readonly progress: (text: string) => void;
  /** Ends what is being measured and fails the run. */
  readonly signal: AbortSignal;
}

interface Subject {
  readonly kind: Kind;
  readonly name: string;
  readonly measure: Measure;
  readonly rounds: number;
  readonly samples: number[];
  outcome: { readonly notMeasured: string } | { readonly failure: string } | undefined;
}

export async function runLine(line: Line, options: RunOptions): Promise<LineReport> {
  const sandbox = createSandbox();
  const end = (): void => sandbox.end();
  options.signal.addEventListener('abort', end);
  const subjects = subjectsOf(line, options.rounds);
  const context: Context = { sandbox, peer: options.peers.find };
  const rounds = Math.max(...subjects.map((subject) => subject.rounds));
  try {
    for (let round = line.warmUp === true ? 0 : 1; round <= rounds; round++) {
      for (const subject of subjects.filter((one) => takesPart(one, round))) {
        options.progress(`${line.name} · round ${round} of ${rounds} · ${subject.name}`);
        await takeSample(subject, context, round > 0);
        options.signal.throwIfAborted();
      }
    }
  } finally {
    options.signal.removeEventListener('abort', end);
    sandbox.end();
  }
  return reportOf(line, subjects);
}

/** Round 0 is the warm-up; peers, which were compiled when they were installed, are spared it. */
function takesPart({ kind, rounds, outcome }: Subject, round: number): boolean {
  return outcome === undefined && round <= rounds && (round > 0 || kind !== 'peer');
}

function subjectsOf(line: Line, rounds: Rounds): Subject[] {
  const subject = (kind: Kind, name: string, measure: Measure): Subject => {
    const wanted = kind === 'peer' ? rounds.peers : rounds.own;
    return { kind, name, measure, rounds: Math.min(wanted, line.rounds ?? wanted), samples: [], outcome: undefined };
  };
  return [
    subject('ours', 'svc', line.ours),
    ...Object.entries(line.limits ?? {}).map(([name, measure]) => subject('limit', name, measure)),
    ...Object.entries(line.peers ?? {}).map(([name, measure]) => subject('peer', name, measure)),
  ];
}

async function takeSample(subject: Subject, context: Context, counts: boolean): Promise<void> {
  try {
    const value = await subject.measure(context);
    if (counts) subject.samples.push(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    subject.outcome = error instanceof NotMeasured ? { notMeasured: reason } : { failure: reason };
  }
}

function reportOf(line: Line, subjects: readonly Subject[]): LineReport {
  const findings = subjects.map(({ kind, name, samples, outcome }): Finding => {
    return { kind, name, result: outcome ?? { summary: summarise(samples) } };
  });
  const medianOf = (finding: Finding | undefined): number | undefined =>
    finding && 'summary' in finding.result ? finding.result.summary.median : undefined;
  const median = medianOf(findings[0]);
  const ofPeer = (peer: string): number | undefined => medianOf(findings.find((one) => one.name === peer));
  const { name, unit, budget } = line;
  return {
    name,
    unit,
    budget,
    holds: budget && median !== undefined ? holds(budget, median, ofPeer) : undefined,
    findings,
  };
}
