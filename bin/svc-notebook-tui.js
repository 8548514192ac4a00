#!/usr/bin/env node
// Starts the terminal viewer on the Node that the packages brought.
import { launch } from './launch.js';

await launch({ built: '../dist/svc-notebook-tui.js', source: '../src/cli/viewerMain.ts' });
