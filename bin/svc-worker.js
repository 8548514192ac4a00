#!/usr/bin/env node
// Starts the worker on the Node that the packages brought.
import { launch } from './launch.js';

await launch({ built: '../dist/svc-worker.js', source: '../src/worker/main.ts' });
