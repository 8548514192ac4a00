// Which mode a file gets that takes the place of another.
import path from 'node:path';

const runtimeFolder = '.svc';

/**
 * Records that the service keeps beside a notebook are closed to other accounts, whoever wrote them before; any other file
 * keeps the mode that it had. Undefined: what the process's mask leaves.
 */
export function modeOfNew(file: string, before: number | undefined): number | undefined {
  if (path.basename(path.dirname(file)) === runtimeFolder) return 0o600;
  return before === undefined ? undefined : before & 0o777;
}
