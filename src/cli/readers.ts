// Whoever reads us may have seen enough: `svc … | head` ends the command, unless its exit code is what it was started for.

let goesOn = false;

/** The work of this command is done to its end, and its exit code tells how it went, whether anybody reads or not. */
export function goOnUnread(): void {
  goesOn = true;
}

export function endWithReader(): void {
  process.stdout.on('error', (error) => {
    if (!('code' in error) || error.code !== 'EPIPE') throw error;
    if (!goesOn) process.exit(0);
  });
}
