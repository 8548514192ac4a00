// Whoever reads us may have seen enough: `svc … | head` ends the command, unless its exit code is what it was started for.

let goesOn = false;

/** The work of this command is done to its end, and its exit code tells how it went, whether anybody reads or not. */
export function goOnUnread(): void {
  goesOn = true;
}

const isUnread = (error: Error): boolean => 'code' in error && error.code === 'EPIPE';

export function endWithReader(): void {
  process.stdout.on('error', (error) => {
    if (!isUnread(error)) {
      process.stderr.write(`error: the output could not be written (${error.message}); make room and try again\n`);
      process.exit(1);
    }
    if (!goesOn) process.exit(0);
  });
  // What went wrong is told by the exit code all the same.
  process.stderr.on('error', () => {});
}
