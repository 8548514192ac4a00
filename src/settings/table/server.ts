// Where the server listens, how it is reached and who may reach it from a browser.

import {
  basePath,
  choice,
  commaList,
  flag,
  host,
  hostPatternFlaw,
  integer,
  jsonArray,
  originFlaw,
  url,
} from '../kinds/index.ts';
import { fixed, optional, setting, unset, unsetMeans } from '../row.ts';

export const serverRows = {
  host: setting(host(), fixed('127.0.0.1'), 'Address to listen on.'),
  port: setting(integer(0, 65535), fixed(8765), 'Port to listen on; 0 takes any free one.'),
  publicBaseUrl: optional(
    url(),
    unsetMeans('origin of the request'),
    'Origin that published and embedded links carry when a proxy stands in front.',
  ),
  publicBasePath: setting(basePath(), fixed(''), 'Path under which a proxy serves this server.'),
  deploymentMode: setting(
    choice('personal', 'service'),
    fixed('personal'),
    '`personal` is one user without authentication, `service` is authenticated callers, perhaps of several tenants.',
  ),
  allowRemoteClientsInPersonal: setting(
    flag(),
    fixed(false),
    'Let a personal server listen beyond this machine: anyone who reaches it can use it.',
  ),
  allowedHosts: setting(
    commaList('host names', hostPatternFlaw),
    fixed([]),
    'Host names served besides localhost, IP addresses and SVC_HOST; a leading dot matches every name below it, `*` turns the check off. Always checked in personal mode, in service mode only when set.',
  ),
  corsAllowOrigins: setting(
    jsonArray('origins', originFlaw),
    fixed([]),
    'Origins whose pages may call this server; empty allows none but its own.',
  ),
  embedFrameAncestors: setting(
    commaList('origins', originFlaw),
    fixed([]),
    'Origins that may frame the app view; `*` allows any, empty only this one.',
  ),
  forwardedAllowIps: setting(
    commaList('proxy addresses'),
    fixed([]),
    'Proxies whose X-Forwarded-For is believed when a caller is told apart by address.',
  ),
  mcpEnabled: setting(
    flag(),
    fixed(false),
    'Serve the Model Context Protocol at /mcp; in service mode callers must be authenticated.',
  ),
  arrowMemoryPool: optional(
    choice('default', 'system', 'jemalloc', 'mimalloc'),
    unset,
    'Allocator of the data engine.',
  ),
  nodeAdvertisedUrl: optional(
    url(),
    unset,
    'Address of this node for the other nodes of one deployment: enables stream redirects and carries live consoles.',
  ),
};
