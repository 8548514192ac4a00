// What a load gave, for whoever waits for it and for docs/reliability.md.
import type { Waits } from './fairness.ts';
import { medianOf, percentileOf } from './ledger.ts';
import type { Outcome } from './play.ts';

export const loadSection = 'Under load';

const round = (value: number, digits = 0): string => value.toFixed(digits);
const percent = (share: number): string => `${round(share * 100)} %`;

/** What is promised, where the machine has a core for the server; `undefined` where too little was seen to tell. */
export interface Verdict {
  readonly what: string;
  readonly figure: string;
  readonly promised: string;
  readonly isKept: boolean | undefined;
}

/** Above this share of waiting for a core the figures are the machine's and not the server's. */
const crowdedShare = 0.05;

/** How much of the flood that was meant came: a machine that is too crowded for the load sends less, and then nobody was flooded. */
function floodShare({ counts, scale, timing }: Outcome): number {
  const came = [...counts].reduce((sum, [what, times]) => sum + (what.startsWith('of the flood') ? times : 0), 0);
  return came / ((scale.floodPerSecond * timing.measuredSeconds) / 2);
}

export function verdictsOf(outcome: Outcome): Verdict[] {
  const { measured, fairness, timing, findings } = outcome;
  const isCrowded = measured.waitedShare > crowdedShare;
  const came = floodShare(outcome);
  const isSeen =
    came >= 0.5 &&
    [...fairness.waits.values()].every(({ calm, flooded }) => Math.min(calm.length, flooded.length) >= 20);
  const isLong = timing.measuredSeconds >= 300;
  const { calm, flooded } = fairness.refused;
  return [
    {
      what: 'answers that the description does not name, 5xx but 503 and 504, wrong bytes, rows and values, broken connections',
      figure: String(findings.length),
      promised: '0',
      isKept: findings.length === 0,
    },
    {
      what: 'growth of the server’s memory in the last third, when what has a bound is full (median slope)',
      figure: `${round(measured.memoryPerMinuteLate, 2)} MiB a minute (${round(measured.memoryPerMinute, 2)} from the end of the warming up), ${round(measured.memoryMebibytes)} MiB at the end`,
      promised: 'flat: below 1 MiB a minute',
      isKept: isLong ? measured.memoryPerMinuteLate < 1 : undefined,
    },
    {
      what: 'growth of what is alive in JavaScript after a collection (median slope)',
      figure: `${round(measured.alivePerMinute, 2)} MiB a minute, ${round(measured.aliveMebibytes)} MiB at the end`,
      promised: 'flat: below 1 MiB a minute',
      isKept: isLong ? measured.alivePerMinute < 1 : undefined,
    },
    {
      what: 'delay of the event loop, p99 of the worst minute',
      figure: `${round(measured.loopP99Ms, 1)} ms (p50 ${round(measured.loopP50Ms, 1)}, longest ${round(measured.loopMaxMs)})`,
      promised: '50 ms',
      isKept: measured.loopP99Ms <= 50 ? true : isCrowded ? undefined : false,
    },
    {
      what: 'what the event loop computes in one turn (processor time), p99 of the worst ten seconds',
      figure: `${round(measured.workP99Ms, 1)} ms (longest ${round(measured.workMaxMs)})`,
      promised: '50 ms',
      isKept: measured.workP99Ms <= 50 ? true : isCrowded ? undefined : false,
    },
    {
      what: 'what a flooding tenant costs a quiet one (medians of neighbouring turns without and with the flood)',
      figure: isSeen ? costOf(fairness) : `not seen: ${percent(came)} of the flood came`,
      promised: '20 %',
      isKept: !isSeen ? undefined : fairness.cost.median <= 0.2 ? true : isCrowded ? undefined : false,
    },
    {
      what: 'refusals of the quiet tenant while the other floods (and while it does not)',
      figure: `${flooded} (${calm})`,
      promised: '0',
      isKept: flooded <= calm,
    },
  ];
}

/** The middle, and between what a half of the pairs lies. */
function costOf({ cost: { pairs, median, p95 } }: Outcome['fairness']): string {
  const [low, high] = [percentileOf(pairs, 25), percentileOf(pairs, 75)];
  return `${percent(median)} (half of ${pairs.length} pairs of turns from ${percent(low)} to ${percent(high)}; p95 of all answers ${percent(p95)})`;
}

/** Medians and slowest twentieths. */
const waitsOf = ({ calm, flooded }: Waits): string =>
  `${round(medianOf(calm), 1)} ms (p95 ${round(percentileOf(calm, 95), 1)}), with the flood ${round(medianOf(flooded), 1)} ms (p95 ${round(percentileOf(flooded, 95), 1)})`;

const mark = (isKept: boolean | undefined): string => (isKept === undefined ? '·' : isKept ? '✔' : '✖');

export function linesOf(outcome: Outcome): string[] {
  const { measured, fairness, counts, findings, leftOut } = outcome;
  return [
    `seed ${outcome.seed}, ${round(outcome.timing.measuredSeconds)} s measured after ${round(outcome.timing.warmUpSeconds)} s`,
    ...[...counts].sort().map(([what, times]) => `  ${times} × ${what}`),
    `the server ran ${percent(measured.busyShare)} of the time, and waited ${percent(measured.waitedShare)} of it for a core`,
    `${storms(outcome)}`,
    ...[...fairness.waits].map(
      ([kind, waits]) =>
        `the quiet tenant, ${kind}: ${waitsOf(waits)}; ${waits.calm.length} and ${waits.flooded.length} times`,
    ),
    ...verdictsOf(outcome).map(
      ({ what, figure, promised, isKept }) => `${mark(isKept)} ${what}: ${figure}; promised ${promised}`,
    ),
    ...leftOut.map((what) => `left out: ${what}`),
    ...findings.map((finding) => `✖ ${finding}`),
  ];
}

const storms = ({ scale, stormsP50Ms, stormsMaxMs }: Outcome): string =>
  `${scale.storm} sockets that went at once were all back with their state after ${round(stormsP50Ms)} ms (median), ${round(stormsMaxMs)} ms at most`;

export function sectionOfLoad(outcome: Outcome): string {
  const { scale, timing, measured, counts, fairness, leftOut, findings } = outcome;
  const answered = [...counts].filter(([what]) => !/^(of the flood|told|frame)/.test(what));
  return `Written by \`npm run test:load -- --minutes M --seed S --report docs/reliability.md\`; \`npm test\` plays half a minute with smaller
numbers.

A service of several tenants with ${scale.notebooks} open notebooks, ${scale.sockets} sockets, ${scale.cells} cells at a time, ${scale.scanClients} scan clients, ${scale.uploaders} who upload
and download, ${scale.slowReaders} who read a stream slowly and as many sockets that nobody reads; every ${round(timing.stormSeconds)} s ${scale.storm} sockets go and come again at
once. All with the rate limits that a server has by itself. Every answer is held against \`/openapi.json\`, and rows, bytes, texts and
values are compared. For half of the time one tenant sends ${scale.floodPerSecond} requests a second, which is several times what it may, and heeds
no refusal; another goes on asking quietly.

Recorded ${new Date().toISOString().slice(0, 10)}, seed ${outcome.seed}, ${round(timing.measuredSeconds)} s after ${round(timing.warmUpSeconds)} s of warming up, on a machine with ${navigator.hardwareConcurrency} cores that
the load itself runs on too; the server goes before it, as if clients had machines of their own, and the quiet tenant has a process of its own that goes before it too. The server ran ${percent(measured.busyShare)} of the time and waited ${percent(measured.waitedShare)} of it for a core; above ${percent(crowdedShare)} what is
slow may be the machine, and such a figure is marked with a dot.

| What | Figure | Promised | |
|---|---|---|---|
${verdictsOf(outcome)
  .map(({ what, figure, promised, isKept }) => `| ${what} | ${figure} | ${promised} | ${mark(isKept)} |`)
  .join('\n')}

${[...fairness.waits].map(([kind, waits]) => `- The quiet tenant, ${kind}: ${waitsOf(waits)}.`).join('\n')}
- ${storms(outcome)}.
- Answered: ${answered.map(([what, times]) => `${times} × ${what}`).join(', ')}.
${[...leftOut.map((what) => `- Left out: ${what}.`), ...findings.map((finding) => `- Found: ${finding.split('\n')[0]}`)].join('\n')}`;
}
