// What the server exposes and what it talks to: remote clients of a personal server, and the shared store, which must
// be some other server than this one.

import { isIPv4 } from 'node:net';
import type { Settings } from '../table.ts';
import { refusal } from './refusal.ts';

const remoteClientsNeedConsent = refusal(
  ['deploymentMode', 'host', 'allowRemoteClientsInPersonal'],
  ({ deploymentMode, host, allowRemoteClientsInPersonal }) =>
    deploymentMode === 'personal' && !isLoopback(host) && !allowRemoteClientsInPersonal
      ? `SVC_HOST=${host} lets other machines use this personal server without a password: listen on 127.0.0.1, or set SVC_ALLOW_REMOTE_CLIENTS_IN_PERSONAL=true if that is meant`
      : null,
);

const teamCacheNeedsStore = refusal(
  ['notebookTeamCacheEnabled', 'notebookRemoteStoreUrl'],
  ({ notebookTeamCacheEnabled, notebookRemoteStoreUrl }) =>
    notebookTeamCacheEnabled && notebookRemoteStoreUrl === null
      ? 'SVC_NOTEBOOK_TEAM_CACHE_ENABLED needs SVC_NOTEBOOK_REMOTE_STORE_URL, the store to share results with'
      : null,
);

const remoteStoreIsAnother = refusal(
  ['notebookRemoteStoreUrl', 'host', 'port', 'publicBaseUrl', 'nodeAdvertisedUrl'],
  (settings) =>
    settings.notebookRemoteStoreUrl !== null && namesThisServer(new URL(settings.notebookRemoteStoreUrl), settings)
      ? 'SVC_NOTEBOOK_REMOTE_STORE_URL names this server itself: point it at the shared store, or remove it'
      : null,
);

type OwnAddress = Pick<Settings, 'host' | 'port' | 'publicBaseUrl' | 'nodeAdvertisedUrl'>;

function namesThisServer(url: URL, { host, port, publicBaseUrl, nodeAdvertisedUrl }: OwnAddress): boolean {
  const advertised = [publicBaseUrl, nodeAdvertisedUrl].filter((own) => own !== null).map((own) => new URL(own).origin);
  if (advertised.includes(url.origin)) return true;
  const urlPort = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (urlPort !== port) return false;
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (name.toLowerCase() === host.toLowerCase()) return true;
  return (isLoopback(name) || isAnyAddress(name)) && (isLoopback(host) || isAnyAddress(host));
}

function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true;
  return isIPv4(name) && name.startsWith('127.');
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

export const networkRefusals = [remoteClientsNeedConsent, teamCacheNeedsStore, remoteStoreIsAnother];
