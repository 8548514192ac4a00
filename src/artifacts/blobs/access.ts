// How the object stores are reached: by the storage settings of the server, and where those are silent by the variables and
// identities that every tool of the provider reads.
import type { Settings } from '../../settings/index.ts';

export type S3Access = Pick<Settings, 's3Region' | 's3EndpointUrl' | 's3AccessKey' | 's3SecretKey'>;
export type GcsAccess = Pick<Settings, 'gcsCredentialsJson' | 'gcsAnonymous' | 'gcsEndpointOverride'>;
export type AzureAccess = Pick<
  Settings,
  | 'azureAccountName'
  | 'azureAccountKey'
  | 'azureConnectionString'
  | 'azureSasToken'
  | 'azureUseDefaultCredential'
  | 'azureEndpointUrl'
>;

export const withScheme = (endpoint: string): string => (endpoint.includes('://') ? endpoint : `https://${endpoint}`);
