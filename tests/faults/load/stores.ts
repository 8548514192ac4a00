// Results that are stored, named and published.
import { createHash } from 'node:crypto';
import { publicationBody, storedBody } from '../../../src/protocol/index.ts';
import { arrowOf } from '../../kit/executor.ts';
import { storedForm } from '../../kit/storedForm.ts';
import { sending } from '../ledger.ts';
import { type Step, saysNotDone, wasDone } from './actor.ts';

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const placeOf = (uri: string): string => uri.replace('svc://artifact/', '/v1/artifacts/').replace('@v=', '/v/');

/** Stores new bytes and has the name lead to them; some are published. */
export function store(names: readonly [string, ...string[]]): Step {
  return async ({ world, ledger, random, number }) => {
    const name = random.pick(names);
    const value = number();
    const length = random.below(5) === 0 ? random.below(40_000) : random.below(200) + 1;
    const bytes = arrowOf(Array.from({ length }, (_, at) => value + at));
    const digest = digestOf(bytes);
    const sent = sending(ledger.names, name, digest);
    const metadata = { inputs: [], transform: { executor: 'faults@v1', params: { value } }, name };
    const answer = await world.server.rest.send('PUT', '/v1/artifacts', storedForm(metadata, bytes));
    if (!wasDone(ledger, 'result stored and named', answer)) {
      if (saysNotDone(answer)) sent.refuse();
      return;
    }
    sent.acknowledge();
    const place = placeOf(storedBody.parse(answer.json).artifact_uri);
    ledger.bytes.set(`${place}/data`, digest);
    if (random.below(4) > 0) return;
    const published = await world.server.rest.post(`${place}/publish`, { json: { title: `Number ${value}` } });
    if (!wasDone(ledger, 'result published', published)) return;
    const { token } = publicationBody.parse(published.json);
    if (token !== null) ledger.bytes.set(`/p/${token}/data`, digest);
  };
}
