// Every line, in the order in which they are measured. A new one is a file beside this and an entry here.
import type { Line } from '../line.ts';
import { fetchArtifact, hugeArtifact, nameLookup, storeArtifact } from './artifacts.ts';
import { cacheHit, cancelToIdle, cellsPerSecond, firstConsoleText, warmCell } from './cells.ts';
import { completion } from './completion.ts';
import { createAnswer, createReady } from './create.ts';
import { edit50, edit200, edit500, edit2000 } from './edits.ts';
import { firstPlot } from './firstPlot.ts';
import { consumeFrame, produceFrame } from './handOff.ts';
import { libraryCells, memoryAfterTorch, memoryGivenBack } from './libraries.ts';
import { memoryAfterLoad, serverMemory } from './memory.ts';
import { millionListed, millionPlanned } from './millionVersions.ts';
import { open200, open500, open2000, openAfterRestart, openEmpty } from './open.ts';
import { firstDescription, laterDescription } from './openapi.ts';
import { materializeHit, planSmallFiles, planUnknownFiles } from './plans.ts';
import { queryStored } from './queries.ts';
import { warmRCell } from './r.ts';
import { editRootRunLeaf, runChain, runChain200, runChainCached } from './runAll.ts';
import { dataMemory, streamingMemory } from './scanMemory.ts';
import {
  scanCached,
  scanCold,
  scanFiltered,
  scanFirstByte,
  scanShared,
  scanStored,
  scanTexts,
  scanWide,
} from './scans.ts';
import { idleSessions, sessionMemory, sessionProcesses } from './sessionMemory.ts';
import { unchangedSetup } from './setup.ts';
import { sqlOverFrame } from './sql.ts';
import { serverStart } from './start.ts';
import { fetchArrow, storeArrow } from './storeArrow.ts';
import { healthThroughput, ordinaryThroughput } from './throughput.ts';
import { watchedPrinting } from './viewers.ts';
import {
  webConsole,
  webFirstPaint,
  webOpen2000,
  webScripts,
  webTableJump,
  webTableScroll,
  webTableSearch,
  webTableSort,
  webTyping,
} from './web.ts';
import { graphFollows, graphJumps, graphOpened, graphRuns } from './webGraph.ts';
import { directCell, signedCell } from './workers.ts';

export const lines: readonly Line[] = [
  serverStart,
  serverMemory,
  memoryAfterLoad,
  healthThroughput,
  ordinaryThroughput,
  nameLookup,
  storeArtifact,
  storeArrow,
  hugeArtifact,
  fetchArtifact,
  fetchArrow,
  millionListed,
  millionPlanned,
  materializeHit,
  queryStored,
  planUnknownFiles,
  planSmallFiles,
  scanCold,
  scanFirstByte,
  scanCached,
  scanShared,
  scanStored,
  scanFiltered,
  scanTexts,
  scanWide,
  streamingMemory,
  dataMemory,
  unchangedSetup,
  firstDescription,
  laterDescription,
  createAnswer,
  createReady,
  openEmpty,
  open200,
  open500,
  open2000,
  openAfterRestart,
  warmCell,
  warmRCell,
  cellsPerSecond,
  cacheHit,
  firstConsoleText,
  cancelToIdle,
  runChain,
  runChainCached,
  runChain200,
  editRootRunLeaf,
  completion,
  edit50,
  edit200,
  edit500,
  edit2000,
  produceFrame,
  consumeFrame,
  sqlOverFrame,
  ...libraryCells,
  memoryAfterTorch,
  memoryGivenBack,
  sessionMemory,
  sessionProcesses,
  idleSessions,
  watchedPrinting,
  directCell,
  signedCell,
  webFirstPaint,
  webScripts,
  webOpen2000,
  webTyping,
  webConsole,
  webTableJump,
  webTableScroll,
  webTableSearch,
  webTableSort,
  graphOpened,
  graphJumps,
  graphFollows,
  graphRuns,
  firstPlot,
];
