// Checks one answer in a thread of its own: a schema comes from a notebook and may hold patterns that never end.
import { parentPort, workerData } from 'node:worker_threads';
import { check } from './outputSchema.ts';

parentPort?.postMessage(check(workerData.schema, workerData.text));
