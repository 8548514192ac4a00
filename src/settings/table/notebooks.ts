// Notebooks: where they live, how their cells run, what sessions may use.

import { atLeast, choice, commaList, flag, hostPatternFlaw, integer, path, positive, text } from '../kinds/index.ts';
import { besideNotebooks, fixed, optional, perMode, setting, unset, unsetMeans } from '../row.ts';

export const notebookRows = {
  notebookStorageDir: setting(path(), fixed('~/.svc/notebooks'), 'Directory under which notebooks live.'),
  notebookPythonVersions: optional(
    commaList('Python versions', pythonVersionFlaw),
    unsetMeans('every installed one that the server supports'),
    'Python versions a notebook may choose.',
  ),
  notebookEnvBackend: setting(
    choice('uv', 'shared'),
    fixed('uv'),
    'One environment for each notebook, or one for all that have the same lock and interpreter (POSIX only).',
  ),
  notebookSharedEnvDir: setting(path(), besideNotebooks('envs'), 'Directory of shared environments.'),
  notebookSharedEnvTtlDays: setting(
    atLeast(0),
    fixed(7),
    'A shared environment that no notebook links to is removed when idle for this long.',
  ),
  notebookWorkersPanel: setting(choice('shown', 'hidden'), fixed('shown'), 'Whether the page shows the workers panel.'),
  notebookWorkersEditable: setting(
    flag(),
    fixed(true),
    'Let notebooks define workers of their own; false, like service mode, leaves only those of the server.',
  ),
  notebookObjectCodec: setting(
    text(),
    fixed('cloudpickle'),
    'How Python objects are stored: `cloudpickle` or `pickle`; with anything else storing them fails.',
    { environmentOnly: true },
  ),
  notebookKeepSupersededVersions: setting(
    integer(0),
    fixed(3),
    'Earlier values kept for each cell output; 0 keeps all.',
  ),
  notebookTableWritesForeign: setting(
    flag(),
    fixed(false),
    'Let cells append to and merge into tables this server did not create; overwriting them is always refused.',
  ),
  notebookFetchAllowedHosts: setting(
    commaList('host names', hostPatternFlaw),
    fixed([]),
    'Hosts that fetches and the AI address of a notebook may reach on private addresses; a leading dot matches every name below it.',
  ),
  notebookConfirmReadBytes: optional(
    integer(0),
    unsetMeans('unset (never asks)'),
    'A run that would bring more bytes than this here from mounts, fetches and tables is asked about first.',
  ),
  notebookConfirmReadCost: optional(
    atLeast(0),
    unsetMeans('unset (never asks)'),
    'The same for a run whose reads would cost more dollars than this, by SVC_NOTEBOOK_CREDENTIAL_READ_COST.',
  ),
  notebookConfirmReadMessage: optional(text(), unset, 'Shown with the question before a large read.'),
  notebookCellLockSeconds: setting(
    atLeast(0),
    fixed(5),
    'How long the last editor of a cell holds it against others; 0 never.',
  ),
  notebookAnswerSeconds: setting(
    atLeast(0),
    fixed(600),
    'How long a question of a cell (input(), getpass(), breakpoint()) waits for an answer; 0 asks nobody.',
  ),
  notebookKeepFailures: setting(
    flag(),
    fixed(false),
    'Whether the process of the last cell that failed on a page stays to be looked into; otherwise Inspect this failure runs the cell once more.',
  ),
  notebookKeepFailureMemoryMb: setting(
    integer(1),
    fixed(1024),
    'The process of a failure that takes more memory than this is not kept to be looked into.',
  ),
  notebookReactiveCellSeconds: setting(
    atLeast(0),
    fixed(2),
    'In a reactive notebook a cell whose last run took longer waits until somebody runs it.',
  ),
  notebookReactiveTotalSeconds: setting(
    atLeast(0),
    fixed(5),
    'The same for all cells that would follow one change: from the one on with which they took longer together.',
  ),
  notebookKeptCellMemoryMb: setting(
    integer(0),
    fixed(1024),
    'Memory that the process of a cell may take which is kept for its widgets (Linux); 0 sets no limit.',
  ),
  notebookKeptCellIdleSeconds: setting(
    positive(),
    fixed(600),
    'A cell that is kept for its widgets ends when nobody has used them for this long.',
  ),
  notebookKeptCellAnswerSeconds: setting(
    positive(),
    fixed(60),
    'The same when what a person did with a widget, or the run before, takes longer.',
  ),
  notebookWarmPoolSize: setting(
    integer(0),
    fixed(2),
    'Processes kept ready for each open notebook; 0 starts each when it is needed.',
  ),
  notebookSpareMemoryMb: setting(
    integer(0),
    fixed(1024),
    'Memory that waiting interpreters of a notebook may take, for packages that cannot be loaded before a fork; 0 keeps none.',
  ),
  notebookConsoleKb: setting(
    integer(1),
    fixed(1024),
    'How much is kept of what a cell prints here, in KiB for each of its two streams: half of its beginning and half of its end, with the number of bytes between. A worker keeps 1024.',
  ),
  notebookCellMemoryMb: optional(
    integer(64),
    unset,
    'Memory that each process of a cell may take for itself; values that are mapped from files are not counted. A cell that wants more fails and says so.',
  ),
  notebookCellProcesses: optional(
    integer(16),
    unset,
    'Processes and threads that the user of cells may have on this machine, all cells together; set it with a harness user: the system does not count those of root.',
  ),
  notebookCellOpenFiles: optional(integer(256), unset, 'Files that each process of a cell may have open.'),
  notebookCellFileMb: optional(
    integer(1),
    unset,
    'Size of one file that a cell may write, its stored values included.',
  ),
  notebookCellNiceness: setting(
    integer(0, 19),
    perMode(5, 10, '5 personal; 10 in service'),
    'How far cells stand back that run beside as many others as the machine has cores, so that the service answers meanwhile: 0 not at all, 19 behind everything.',
  ),
  notebookSessionTtlSeconds: setting(positive(), fixed(14_400), 'A session idle for this long is closed.'),
  notebookMaxSessions: setting(
    integer(1),
    fixed(50),
    'Sessions open at a time; above it the least recently used is closed.',
  ),
  notebookSessionMinAvailableMb: optional(
    integer(1),
    unset,
    'Below this much free memory idle sessions are closed, least recently used first (Linux only).',
  ),
  notebookHarnessEnvAllowlist: setting(
    commaList('variable names'),
    unsetOrEmptyMeansEverything(),
    'Server variables a cell gets: exact names or prefixes that end in `*`; SVC_* only by exact name.',
  ),
  notebookHarnessUser: optional(
    text(),
    unset,
    'OS user that runs cell code (POSIX, server run as root); without it a service runs cells only on its remote workers. No boundary between tenants.',
  ),
  notebookMaxBundleMemberBytes: setting(
    integer(1),
    fixed(2_147_483_648),
    'Largest file read from the result of a remote cell; a malformed value counts as unset.',
    { environmentOnly: true, forgiving: true },
  ),
};

function unsetOrEmptyMeansEverything() {
  return { ...fixed([]), words: 'empty (everything)' };
}

function pythonVersionFlaw(version: string): string | null {
  return /^\d+\.\d+(\.\d+)?t?$/.test(version) ? null : 'is not a Python version such as 3.13';
}
