// Tables that are streamed, and builds: by the service's own scan, and by an executor.
import { materializeBody } from '../../../src/protocol/index.ts';
import { buildNow } from '../../kit/builds.ts';
import { order, rowsAt } from '../../kit/scan.ts';
import { count } from '../ledger.ts';
import { builtOf, tableRows } from '../surroundings.ts';
import { type Desk, type Step, Wrong, wasDone } from './actor.ts';
import { digestOf, placeOf } from './stores.ts';

/** A stream that ends well has every row. */
export const stream: Step = async ({ world, ledger, random }) => {
  const from = random.below(tableRows);
  const params = { columns: ['n'], filters: [{ column: 'n', op: '>=', value: from }] };
  const answer = await order(world.server, world.surroundings.warehouse.uri('rows'), { params });
  if (!wasDone(ledger, 'scan ordered', answer)) return;
  const { rows, status, text } = await rowsAt(world.server, materializeBody.parse(answer.json).stream_url);
  if (status !== 200) return count(ledger, `stream refused (${status}: ${text.slice(0, 120)})`);
  if (rows.length !== tableRows - from)
    throw new Wrong(`a stream of ${tableRows - from} rows ended with ${rows.length}`);
  count(ledger, 'stream read');
};

/** Orders a result and, when it is called ready, writes down what it holds. */
export const build: Step = async (desk) => {
  const { world, ledger, random } = desk;
  const number = desk.number();
  const isScan = random.below(2) === 0;
  const transform = isScan
    ? { executor: 'scan@v1', params: { filters: [{ column: 'n', op: '<', value: number % tableRows }] } }
    : { executor: 'number@v1', params: { number } };
  const inputs = isScan ? [world.surroundings.warehouse.uri('rows')] : [];
  const route = isScan ? '/v1/materialize' : '/v1/artifacts/materialize';
  const answer = await world.server.rest.post(route, { json: { inputs, transform, mode: 'artifact' } });
  if (!wasDone(ledger, 'build ordered', answer)) return;
  const { build_id, artifact_uri, hit } = materializeBody.parse(answer.json);
  if (build_id !== null) {
    ledger.builds.add(build_id);
    if (!(await isReady(desk, build_id))) return;
  } else if (!hit) return;
  await noteBytes(desk, String(artifact_uri), isScan ? undefined : digestOf(builtOf(number)));
};

async function isReady({ world }: Desk, id: string): Promise<boolean> {
  for (;;) {
    const { state } = await buildNow(world.server, id);
    if (state === 'ready' || state === 'failed') return state === 'ready';
  }
}

async function noteBytes({ world, ledger }: Desk, uri: string, expected: string | undefined): Promise<void> {
  const route = `${placeOf(uri)}/data`;
  const response = await fetch(`${world.server.address}${route}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) return count(ledger, `result of a build refused (${response.status})`);
  const digest = digestOf(bytes);
  if (expected !== undefined && digest !== expected)
    throw new Wrong(`a build gave other bytes than its executor: ${uri}`);
  ledger.bytes.set(route, digest);
  count(ledger, 'build ready');
}
