// Requests per second over eight kept connections. `/health` is served with default settings; an ordinary route is asked
// with the rate limiter off, which would otherwise be what is measured.
import { kept, type Line, type Measure } from '../line.ts';
import { requestsPerSecond } from '../load/load.ts';
import { plainNode, svcServer } from '../programs/own.ts';
import type { PeerName } from '../programs/peers.ts';
import { type Program, startProgram } from '../programs/program.ts';

const connections = 8;

function throughputOf(program: Program, path = program.path): Measure {
  const server = kept((context) => startProgram(context, program));
  return async (context) => requestsPerSecond(context, await server(context), { path, connections });
}

function throughputOfPeer(name: PeerName): Measure {
  const measure = kept(async (context) => throughputOf(await context.peer(name)));
  return async (context) => (await measure(context))(context);
}

export const healthThroughput: Line = {
  name: '/health over 8 connections',
  unit: 'per s',
  warmUp: true,
  budget: { atLeast: 8000 },
  ours: throughputOf(svcServer()),
  limits: { 'plain Node server': throughputOf(plainNode) },
  peers: {
    marimo: throughputOfPeer('marimo'),
    'strata-notebook': throughputOfPeer('strata-notebook'),
    'jupyter-server': throughputOfPeer('jupyter-server'),
  },
};

export const ordinaryThroughput: Line = {
  name: '/v1/config/timeouts over 8 connections',
  unit: 'per s',
  warmUp: true,
  ours: throughputOf(svcServer({ SVC_RATE_LIMIT_ENABLED: 'false' }), '/v1/config/timeouts'),
  limits: { 'plain Node server': throughputOf(plainNode) },
};
