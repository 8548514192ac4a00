// What cells read from outside, looked at while nobody runs anything: as far as nobody has to be asked.
import type { Execution } from './execution.ts';
import type { RunHost } from './host.ts';
import { announce } from './runCell.ts';

export async function lookAround(host: RunHost, look: Execution['look'], signal: AbortSignal): Promise<void> {
  for (const [cellId, { asksOutside: asked }] of host.session().facts) {
    if (asked === null || host.session().outside.get(cellId)?.asked === asked || signal.aborted) continue;
    const seen = await look(cellId, { signal, mayAsk: false }).catch(() => undefined);
    if (seen && !('problem' in seen))
      announce(host, host.apply({ type: 'looked', cellId, asked, digest: seen.digest }).changed);
  }
}
