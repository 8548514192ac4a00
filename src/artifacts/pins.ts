// Pins: a reason to keep a version, given by somebody. Several may hold the same version.
import type { StoreParts } from './parts.ts';
import type { Actor } from './registry/names.ts';
import type { ArtifactAddress } from './types.ts';

export interface Pins {
  /** The same reason again only renews it. */
  pin(actor: Actor, address: ArtifactAddress, reason: string): Promise<{ readonly pinnedAt: number }>;
  unpin(address: ArtifactAddress, reason: string): Promise<boolean>;
}

export const createPins = ({ database, now }: StoreParts): Pins => ({
  async pin({ tenant, principal }, { id, version }, reason) {
    const pinnedAt = now();
    await database.run(
      `INSERT INTO artifact_pins (artifact_id, version, reason, tenant, pinned_by, pinned_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (artifact_id, version, reason) DO UPDATE SET
         tenant = excluded.tenant, pinned_by = excluded.pinned_by, pinned_at = excluded.pinned_at`,
      [id, version, reason, tenant, principal, pinnedAt],
    );
    return { pinnedAt };
  },
  unpin: async ({ id, version }, reason) =>
    (await database.run('DELETE FROM artifact_pins WHERE artifact_id = ? AND version = ? AND reason = ?', [
      id,
      version,
      reason,
    ])) > 0,
});
