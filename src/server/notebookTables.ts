// Tables as the cells of a session reach them: only those that whoever runs them may read, written only where the server lets
// writes happen and the catalog's credential lets this caller write.
import type { Credentials } from '../credentials/index.ts';
import { refusals } from '../errors/index.ts';
import { type Caller, holds, mayReadAddress } from '../identity/index.ts';
import type { SessionTables } from '../notebook/index.ts';
import { parseTableAddress, type Tables } from '../tables/index.ts';

export interface NotebookTablesParts {
  readonly credentials: Credentials;
  /** Undefined where no tables are read or written. */
  readonly tables: () => Tables | undefined;
}

export function createNotebookTables({ credentials, tables }: NotebookTablesParts) {
  const { settings } = credentials;

  function opened(): Tables {
    const found = tables();
    if (!found) throw refusals.tablesUnavailable();
    return found;
  }

  /** The credential by which the table's catalog is opened; null when it names none. */
  function credentialOf(uri: string): string | null {
    const { warehouse, catalog } = parseTableAddress(uri, new Set(Object.keys(credentials.catalogs())));
    const properties = catalog === null || warehouse !== null ? settings.catalogProperties : settings.catalogs[catalog];
    const named = properties?.svc_credential;
    return named === undefined ? null : String(named);
  }

  return (caller: () => Caller, directory: string): SessionTables => {
    function checkRead(uri: string): void {
      if (!mayReadAddress(settings, caller(), uri)) throw refusals.tableNotFound(settings.hideForbiddenAsNotFound);
      const credential = credentialOf(uri);
      if (credential !== null) credentials.checkPath(credential, directory);
    }

    function checkWrite(uri: string): void {
      if (settings.deploymentMode === 'service') {
        if (!settings.serviceWritesEnabled) throw refusals.writesDisabled();
        if (!holds(caller(), 'artifacts:write')) throw refusals.tableWriteRefused('it needs the artifacts:write scope');
      }
      checkRead(uri);
      const credential = credentialOf(uri);
      if (credential !== null && !credentials.mayWrite(credential, caller().principal))
        throw refusals.tableWriteRefused(`credential '${credential}' may only be used for reading`);
    }

    return {
      async read(uri, pin) {
        checkRead(uri);
        const request = { columns: [], filters: [], snapshotId: pin };
        const { snapshotId, estimatedBytes } = await opened().planner.plan(uri, request, caller().tenant ?? '');
        return { snapshot: snapshotId, bytes: estimatedBytes, credential: credentialOf(uri) };
      },
      writer: {
        check: ({ table }) => checkWrite(table),
        async write({ table: uri, mode, on }, source, summary) {
          checkWrite(uri);
          const tenant = caller().tenant ?? '';
          await opened().writes.write({ uri, source, mode, on, tenant, summary, makeWarehouse: true });
        },
      },
    };
  };
}
