// Loaded before a test file: what Node has compiled for one file is there for the next. Apart from what programs keep, which
// run under other flags, and not by NODE_COMPILE_CACHE, which they would inherit.
import module from 'node:module';
import { compiled } from '../setup/places.js';

module.enableCompileCache(`${compiled}-tests`);
