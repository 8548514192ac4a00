// A plan over a SQLite store, made in a thread of its own and handed over in slices, so that a store of a million versions
// does not hold up those who are served meanwhile.
import { parentPort, workerData } from 'node:worker_threads';
import { openSqlite } from '../../database/index.ts';
import { type CollectionPlan, type Policy, planCollection, type Victim } from './plan.ts';

export interface PlanRequest {
  readonly file: string;
  readonly policy: Policy;
  readonly now: number;
}

export type PlanSlice = { readonly victims: readonly Victim[] } | { readonly storeBytes: number };

const sliceLength = 500;

const { file, policy, now }: PlanRequest = workerData;
const database = openSqlite(file);
const plan: CollectionPlan = await planCollection(database, policy, now);
await database.close();
for (let at = 0; at < plan.victims.length; at += sliceLength)
  parentPort?.postMessage({ victims: plan.victims.slice(at, at + sliceLength) } satisfies PlanSlice);
parentPort?.postMessage({ storeBytes: plan.storeBytes } satisfies PlanSlice);
