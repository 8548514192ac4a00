#!/usr/bin/env node
// Starts the server on the Node that the packages brought.
import { launch } from './launch.js';

await launch({ built: '../dist/svc-notebook.js', source: '../src/cli/serverMain.ts' });
