#!/usr/bin/env node
// Starts the worker on the Node that the packages brought.
import { launch } from './launch.js';

await launch('../src/worker/main.ts');
