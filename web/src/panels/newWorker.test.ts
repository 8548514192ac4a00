import assert from 'node:assert/strict';
import { it } from 'node:test';
import { placeIn } from './newWorker.ts';

const problem = 'Write an address such as https://gpu.example.org:9000, or user@host for ssh.';

for (const [written, expected] of [
  ['https://gpu.example.org:9000', { kind: 'address', url: 'https://gpu.example.org:9000', name: 'gpu' }],
  [' http://10.0.0.7:9000/ ', { kind: 'address', url: 'http://10.0.0.7:9000/', name: '10.0.0.7' }],
  ['http://[::1]:9000', { kind: 'address', url: 'http://[::1]:9000', name: '1' }],
  ['ada@lab.example.org', { kind: 'ssh', target: 'ada@lab.example.org', name: 'lab' }],
  ['ssh lab', { kind: 'ssh', target: 'lab', name: 'lab' }],
  ['ssh://ada@lab', { kind: 'ssh', target: 'ada@lab', name: 'lab' }],
  ['ada@lab:2222', { kind: 'ssh', target: 'ssh://ada@lab:2222', name: 'lab' }],
  ['ssh://lab:2222', { kind: 'ssh', target: 'ssh://lab:2222', name: 'lab' }],
  ['lab', { problem }],
  ['', { problem }],
  ['ada@lab; rm -rf /', { problem }],
  ['-oProxyCommand=x', { problem }],
] as const)
  it(`the place of a new worker in ${JSON.stringify(written)}`, () => assert.deepEqual(placeIn(written), expected));
