// Keeps what loading a program leaves behind out of its memory: 22 MiB of an idle server. Nothing that runs while a
// program loads runs often enough to be worth optimising, so V8's optimising compilers wait until it is there. And V8 has
// sized its heap for the loading and does not shrink it for a program that then sits idle, so it is told to, once.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const loadedAfterMilliseconds = 1000;

/** Call it before the compile cache is enabled: cached code is only good for the flags it was made under. */
export function startLean() {
  setFlagsFromString('--no-opt');
  setFlagsFromString('--no-maglev');
  setTimeout(() => {
    setFlagsFromString('--opt');
    setFlagsFromString('--maglev');
    giveBackMemory();
  }, loadedAfterMilliseconds).unref();
}

/** A pause of 40 ms, in the one kind of collection that gives pages back to the system. */
function giveBackMemory() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
