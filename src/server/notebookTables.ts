// Tables as the cells of a session reach them: only those that whoever runs them may read, written only where the server lets
// writes happen and the catalog's credential lets this caller write.
import type { Credentials } from '../credentials/index.ts';
import { refusals } from '../errors/index.ts';
import { type Caller, holds, mayReadAddress } from '../identity/index.ts';
import type { SessionTables } from '../notebook/index.ts';
import { parseTableAddress, type TableAddress } from '../tableAddress.ts';
import type { Tables } from '../tables/index.ts';

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
  function credentialOf({ warehouse, catalog }: TableAddress): string | null {
    const properties = catalog === null || warehouse !== null ? settings.catalogProperties : settings.catalogs[catalog];
    const named = properties?.svc_credential;
    return named === undefined ? null : String(named);
  }

  return (caller: () => Caller, directory: string): SessionTables => {
    function checkRead(uri: string): TableAddress {
      const address = parseTableAddress(uri, new Set(Object.keys(credentials.catalogs())));
      if (!mayReadAddress(settings, caller(), address)) throw refusals.tableNotFound(settings.hideForbiddenAsNotFound);
      const credential = credentialOf(address);
      if (credential !== null) credentials.checkPath(credential, directory);
      return address;
    }

    function checkWrite(uri: string): TableAddress {
      if (settings.deploymentMode === 'service') {
        if (!settings.serviceWritesEnabled) throw refusals.writesDisabled();
        if (!holds(caller(), 'artifacts:write')) throw refusals.tableWriteRefused('it needs the artifacts:write scope');
      }
      const address = checkRead(uri);
      const credential = credentialOf(address);
      if (credential !== null && !credentials.mayWrite(credential, caller().principal))
        throw refusals.tableWriteRefused(`credential '${credential}' may only be used for reading`);
      return address;
    }

    return {
      async read(uri, pin) {
        const address = checkRead(uri);
        const request = { columns: [], filters: [], snapshotId: pin };
        const { snapshotId, estimatedBytes } = await opened().planner.plan(address, request, caller().tenant ?? '');
        return { snapshot: snapshotId, bytes: estimatedBytes, credential: credentialOf(address) };
      },
      writer: {
        check: ({ table }) => void checkWrite(table),
        async write({ table: uri, mode, on }, source, summary) {
          const address = checkWrite(uri);
          const tenant = caller().tenant ?? '';
          await opened().writes.write({ address, source, mode, on, tenant, summary, makeWarehouse: true });
        },
      },
    };
  };
}
