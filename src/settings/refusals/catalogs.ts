// Catalogs that could not be opened, or that carry a credential under the wrong key.

import type { CatalogProperties, NamedCredentials } from '../schemas/credentials.ts';
import { refusal } from './refusal.ts';

const OBJECT_STORE = /^(s3|s3a|s3n|gs|gcs|az|azure|abfs|abfss|wasb|wasbs):\/\//i;

const sqlCatalogNeedsUri = refusal(
  ['catalogProperties', 'catalogUri', 'catalogs', 'notebookCredentials'],
  ({ catalogProperties, catalogs, notebookCredentials }) => {
    const needsUri = (properties: CatalogProperties) => lacksUri(withCredential(properties, notebookCredentials));
    const named = Object.entries(catalogs)
      .filter(([, properties]) => needsUri(properties))
      .map(
        ([name]) =>
          `catalogs['${name}'] is a SQL catalog over an object store and needs a uri: add the URL of its database`,
      );
    return needsUri(catalogProperties)
      ? ['catalog_properties is a SQL catalog over an object store and needs a uri: set SVC_CATALOG_URI', ...named]
      : named;
  },
);

const credentialNamesGoElsewhere = refusal(
  ['catalogProperties', 'catalogs', 'notebookCredentials'],
  ({ catalogProperties, catalogs, notebookCredentials }) => {
    const misplaced = (path: string, { credential }: CatalogProperties) =>
      typeof credential === 'string' && Object.hasOwn(notebookCredentials, credential)
        ? [`${path}.credential: '${credential}' is a named credential of this server; write it as svc_credential`]
        : [];
    return [
      ...misplaced('catalog_properties', catalogProperties),
      ...Object.entries(catalogs).flatMap(([name, properties]) => misplaced(`catalogs['${name}']`, properties)),
    ];
  },
);

function lacksUri({ type, uri, warehouse }: CatalogProperties): boolean {
  const isSql = type === undefined || type === 'sql';
  return isSql && (uri === undefined || uri === '') && typeof warehouse === 'string' && OBJECT_STORE.test(warehouse);
}

/** The fields of a named credential lie beneath the catalog's own keys, so a uri may come from there. */
function withCredential(properties: CatalogProperties, credentials: NamedCredentials): CatalogProperties {
  const { svc_credential: name } = properties;
  return { ...(typeof name === 'string' ? credentials[name] : {}), ...properties };
}

export const catalogRefusals = [sqlCatalogNeedsUri, credentialNamesGoElsewhere];
