#!/usr/bin/env node
// Starts the command line on the Node that the packages brought.
import { launch } from './launch.js';

await launch({ built: '../dist/svc.js', source: '../src/cli/main.ts' });
