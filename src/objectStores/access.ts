// How an object store is reached. Where nothing is said, the variables and identities count that every tool of its provider
// reads.

export interface S3Access {
  readonly region?: string | undefined;
  /** A server that speaks like S3, at an address of its own. */
  readonly endpoint?: string | undefined;
  readonly profile?: string | undefined;
  readonly keys?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
    | undefined;
  /** Asks for what everybody may read. */
  readonly isAnonymous?: boolean;
}

export interface GcsAccess {
  readonly project?: string | undefined;
  /** A key file or a workload identity, whose own token file is read again whenever it is refreshed; or the key itself. */
  readonly keyFile?: string | undefined;
  readonly credentials?: object | undefined;
  readonly endpoint?: string | undefined;
  readonly isAnonymous?: boolean;
  /** Whether what was read is compared with the checksum that the store keeps of it. */
  readonly checksReads?: boolean;
}

/** The first of them that is there counts, in this order. */
export interface AzureAccess {
  readonly connectionString?: string | undefined;
  readonly account?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly sasToken?: string | undefined;
  readonly accountKey?: string | undefined;
  readonly isAnonymous?: boolean;
  readonly identity?: AzureIdentity | undefined;
}

/** An application: by its secret, or by a token file that the platform keeps fresh. */
export interface AzureIdentity {
  readonly tenantId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly secret?: string | undefined;
}

export type ObjectStore =
  | { readonly kind: 's3'; readonly bucket: string; readonly access: S3Access }
  | { readonly kind: 'gcs'; readonly bucket: string; readonly access: GcsAccess }
  /** A bucket is a container there. */
  | { readonly kind: 'azure'; readonly bucket: string; readonly access: AzureAccess };
