// What one server takes on: sizes, timeouts, slots, request rates, and the slots that move by themselves.

import { atLeast, flag, integer, positive } from '../kinds/index.ts';
import { fixed, setting } from '../row.ts';

export const limitRows = {
  maxConcurrentScans: setting(integer(1), fixed(100), 'Scans at a time.'),
  maxTasksPerScan: setting(integer(1), fixed(1000), 'Row groups in one scan.'),
  planTimeoutSeconds: setting(positive(), fixed(30), 'Seconds planning a scan may take; then 504.'),
  scanTimeoutSeconds: setting(positive(), fixed(300), 'Seconds a scan may stream.'),
  fetchTimeoutSeconds: setting(positive(), fixed(60), 'Seconds one fetch may take.'),
  s3ConnectTimeoutSeconds: setting(positive(), fixed(10), 'Seconds to connect to an object store.'),
  s3RequestTimeoutSeconds: setting(positive(), fixed(30), 'Seconds an object store may be silent within a call.'),
  maxResponseBytes: setting(integer(1), fixed(536_870_912), 'Bytes a scan may answer; then 413.'),
  maxUploadBytes: setting(
    integer(1),
    fixed(10_737_418_240),
    'Bytes an artifact or a file may be uploaded with; then 413.',
  ),
  maxEqualityDeleteRows: setting(
    integer(0),
    fixed(10_000_000),
    'Equality-delete rows held for one row group; a scan over it is refused.',
  ),
  streamStateTtlSeconds: setting(
    positive(),
    fixed(300),
    'Seconds a stream that nobody fetches is remembered, and its ownership claimed.',
  ),
};

export const scanQosRows = {
  interactiveSlots: setting(integer(1), fixed(32), 'Small scans at a time.'),
  bulkSlots: setting(integer(1), fixed(8), 'Big scans at a time.'),
  interactiveMaxBytes: setting(integer(0), fixed(10_485_760), 'A scan of more bytes counts as big.'),
  interactiveMaxColumns: setting(integer(0), fixed(10), 'A scan of more columns counts as big.'),
  interactiveQueueTimeout: setting(atLeast(0), fixed(10), 'Seconds a small scan waits for a slot; then 429.'),
  bulkQueueTimeout: setting(atLeast(0), fixed(30), 'Seconds a big scan waits for a slot; then 429.'),
  perClientInteractive: setting(integer(0), fixed(2), 'Small scans at a time for one client; 0 is no cap.'),
  perClientBulk: setting(integer(0), fixed(1), 'Big scans at a time for one client; 0 is no cap.'),
};

export const rateLimitRows = {
  rateLimitEnabled: setting(flag(), fixed(true), 'Limit how fast requests come in.'),
  rateLimitGlobalRps: setting(positive(), fixed(1000), 'Requests per second, all clients together.'),
  rateLimitClientRps: setting(positive(), fixed(100), 'Requests per second of one client.'),
  rateLimitScanRps: setting(positive(), fixed(50), 'Scans per second, of each tenant.'),
  rateLimitWarmRps: setting(positive(), fixed(10), 'Cache warmings per second, of each tenant.'),
  rateLimitGlobalBurst: setting(atLeast(1), fixed(100), 'Requests that may come at once, all clients together.'),
  rateLimitClientBurst: setting(atLeast(1), fixed(20), 'Requests of one client that may come at once.'),
};

export const adaptiveRows = {
  adaptiveEnabled: setting(
    flag(),
    fixed(false),
    'Move the scan slots by how long scans hold them; not together with multi-tenancy.',
  ),
  adaptiveIntervalSeconds: setting(positive(), fixed(5), 'Seconds between adjustments.'),
  adaptiveTargetP95Ms: setting(
    positive(),
    fixed(500),
    'Milliseconds 95 of 100 scans should hold their slot for at most.',
  ),
  adaptiveMinInteractive: setting(integer(1), fixed(4), 'Fewest slots for small scans.'),
  adaptiveMaxInteractive: setting(integer(1), fixed(64), 'Most slots for small scans.'),
  adaptiveMinBulk: setting(integer(1), fixed(2), 'Fewest slots for big scans.'),
  adaptiveMaxBulk: setting(integer(1), fixed(32), 'Most slots for big scans.'),
  adaptiveHysteresis: setting(integer(1), fixed(3), 'Readings in one direction before the slots move.'),
};
