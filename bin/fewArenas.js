// glibc lets every thread allocate from an arena of its own and gives little of it back: 50 of 480 MiB of a server under load, and most
// of what it grew by. Two are enough. It reads the variable at the start of a process alone, so that is who gets it; cells see none.
const variable = 'MALLOC_ARENA_MAX';
const mark = 'SVC_FEW_ARENAS';

/** For a process that is started; whoever chose for themselves is left alone. @param {NodeJS.ProcessEnv} env @returns {NodeJS.ProcessEnv} */
export const withFewArenas = (env) => (env[variable] === undefined ? { ...env, [variable]: '2', [mark]: '1' } : env);

/** By the process that was started so. */
export function forgetFewArenas() {
  if (process.env[mark] === undefined) return;
  delete process.env[variable];
  delete process.env[mark];
}
