// The rows of published tables as Parquet, each made once in the cache.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Blob, Companion, Story } from '../../../artifacts/index.ts';
import { exportTable, wholeTable } from '../../../engine/index.ts';
import { Refusal } from '../../../errors/index.ts';
import { digestOfFile } from '../../../files/index.ts';
import type { Services } from '../../services.ts';
import { storeOf } from './gates.ts';

/** Undefined for what is no table; refused while the data engine is being prepared. */
export type CompanionOf = (story: Story, blob: Blob) => Promise<Companion | undefined>;

export function createCompanions(services: Services): CompanionOf {
  const folder = path.join(services.settings.cacheDir, 'publications');
  const made = new Map<string, Promise<Companion | undefined>>();

  async function make(name: string, blob: Blob): Promise<Companion | undefined> {
    const target = path.join(folder, name);
    if (!existsSync(target)) {
      const part = `${target}.${randomUUID()}.part`;
      const engine = services.dataEngine();
      await mkdir(folder, { recursive: true });
      const { staging } = storeOf(services);
      const copied = blob.file === undefined ? await staging.receive(await blob.read(), blob.byteSize) : undefined;
      try {
        const view = wholeTable(copied?.file ?? blob.file ?? '');
        if (!(await exportTable(engine, view, 'parquet', part))) return undefined;
      } catch (error) {
        // A type that Parquet lacks: the table goes without.
        await rm(part, { force: true });
        if (error instanceof Refusal && error.kind === 'invalid') return undefined;
        throw error;
      } finally {
        if (copied) await staging.discard(copied);
      }
      await rename(part, target);
    }
    return { file: target, sha256: await digestOfFile(target) };
  }

  return async ({ contentType, publication }, blob) => {
    if (contentType !== 'arrow/ipc') return undefined;
    const name = `${publication.publicationId}.parquet`;
    const known = await made.get(name);
    if (known && existsSync(known.file)) return known;
    const fresh = make(name, blob);
    made.set(name, fresh);
    fresh.catch(() => made.delete(name));
    return fresh;
  };
}
