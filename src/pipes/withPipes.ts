// Where no pipe could be made, Node gives a process without any, and an event that ends the server unless somebody hears it.
import type { ChildProcess } from 'node:child_process';

/** The process that was just started; throws when this one may have no more files open, as if starting it had. */
export function withPipes<Child extends ChildProcess>(child: Child): Child {
  if (Reflect.get(child, 'stdio') !== undefined) return child;
  child.on('error', () => {}); // tells the same, a moment later
  const reason = 'this process has as many files open as it may have';
  throw Object.assign(new Error(`${child.spawnfile} could not be started: ${reason}`), { code: 'EMFILE' });
}
