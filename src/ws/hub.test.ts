// Numbers, slow readers and presence, with sockets that are read as slowly as a test wants.
import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { createHub } from './hub.ts';
import { createOutbox } from './outbox.ts';
import { createPresence } from './presence.ts';

function slowSocket() {
  const sent: string[] = [];
  const socket = { bufferedAmount: 0, send: (text: string) => void sent.push(text) };
  return { socket, sent };
}

const chunk = (text: string, seq: number, cellId = 'c', stream: 'stdout' | 'stderr' = 'stdout') => ({
  cellId,
  stream,
  chunkSeq: seq,
  text,
  seq,
});

describe('an outbox', () => {
  const open = (socket: { bufferedAmount: number; send(text: string): void }, onBehind: () => void = () => {}) =>
    createOutbox(
      socket,
      ({ text, seq, chunkSeq }) => `joined ${chunkSeq} ${seq} ${text.length > 20 ? text.length : text}`,
      () => 'sync!',
      onBehind,
    );

  it('sends at once to a reader that keeps up', () => {
    const { socket, sent } = slowSocket();
    const outbox = open(socket);
    outbox.frame('a');
    outbox.console(chunk('x', 2), 'b');
    assert.deepEqual(sent, ['a', 'b']);
  });

  it('says that something waits, so that only then somebody looks after it', () => {
    const { socket } = slowSocket();
    const told: boolean[] = [];
    const outbox = open(socket, () => told.push(outbox.isBehind));
    outbox.frame('a');
    assert.deepEqual([told, outbox.isBehind], [[], false]);
    socket.bufferedAmount = 2 ** 21;
    outbox.frame('b');
    assert.deepEqual(told, [true]);
    socket.bufferedAmount = 0;
    outbox.flush();
    assert.equal(outbox.isBehind, false);
  });

  it('joins console text for a slow one, keeping the order of everything', () => {
    const { socket, sent } = slowSocket();
    const outbox = open(socket);
    socket.bufferedAmount = 2 ** 21;
    outbox.console(chunk('one ', 1), '-');
    outbox.console(chunk('two ', 2), '-');
    outbox.console(chunk('three', 3), '-');
    outbox.frame('frame 4');
    outbox.console(chunk('err', 5, 'c', 'stderr'), '-');
    outbox.flush();
    assert.deepEqual(sent, []);
    socket.bufferedAmount = 0;
    outbox.flush();
    assert.deepEqual(sent, ['joined 1 3 one two three', 'frame 4', 'joined 5 5 err']);
  });

  it('does not give up on one that is always behind, and reads on', () => {
    const { socket, sent } = slowSocket();
    const outbox = open(socket);
    for (let seq = 1; seq <= 20; seq++) {
      socket.bufferedAmount = 2 ** 21;
      outbox.frame(`${seq} `.padEnd(2 ** 20, 'x'));
      outbox.frame('small');
      socket.bufferedAmount = 0;
      const send = socket.send;
      // Takes one frame, then has to read again.
      socket.send = (text) => {
        send(text);
        socket.bufferedAmount = 2 ** 21;
      };
      outbox.flush();
      socket.send = send;
    }
    assert.deepEqual([outbox.lagging, sent.length], [false, 20]);
  });

  it('gives up on one that does not read at all, in bounded memory, and tells it to sync', () => {
    const { socket, sent } = slowSocket();
    const outbox = open(socket);
    socket.bufferedAmount = 2 ** 21;
    for (let seq = 1; seq <= 20; seq++) outbox.console(chunk('x'.repeat(2 ** 20), seq), '-');
    assert.equal(outbox.lagging, true);
    outbox.frame('lost');
    socket.bufferedAmount = 0;
    outbox.flush();
    assert.deepEqual(sent, ['sync!']);
    outbox.caughtUp();
    outbox.frame('state');
    assert.deepEqual(sent, ['sync!', 'state']);
  });
});

describe('presence', () => {
  it('is one entry an identity, with its latest focus; visits over REST last a minute', () => {
    let now = 100;
    const presence = createPresence(() => now);
    const [first, second, other] = [{}, {}, {}];
    presence.join(first, 'local');
    now = 101;
    presence.join(second, 'local');
    presence.join(other, 'bob');
    presence.visited('agent', 'c9');
    assert.equal(presence.focus(first, 'c1'), true);
    assert.equal(presence.focus(first, 'c1'), false);
    assert.equal(presence.focus(second, 'c2'), true);
    assert.deepEqual(presence.list(), [
      { principal: 'agent', focused_cell_id: 'c9', since: 101 },
      { principal: 'bob', focused_cell_id: null, since: 101 },
      { principal: 'local', focused_cell_id: 'c2', since: 100 },
    ]);
    presence.leave(other);
    now = 162;
    assert.deepEqual(presence.list(), [{ principal: 'local', focused_cell_id: 'c2', since: 100 }]);
  });

  it('is told to a few at once, and to many gathered, each with its own name', (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    const hub = createHub();
    const joined = Array.from({ length: 50 }, (_, at) => {
      const { socket, sent } = slowSocket();
      const member = hub.join({ ...socket, close() {} }, 'session', `p${at}`);
      hub.announcePresence();
      return { member, sent };
    });
    const [first, last] = [joined[0], joined.at(-1)];
    assert.deepEqual([first?.sent.length, last?.sent.length], [20, 0]);
    mock.timers.tick(100);
    assert.deepEqual([first?.sent.length, last?.sent.length], [21, 1]);
    const { type, seq, payload } = JSON.parse(last?.sent[0] ?? '');
    assert.deepEqual(
      { type, seq, you: payload.you, principals: payload.principals.length },
      { type: 'presence', seq: 21, you: 'p49', principals: 50 },
    );
    for (const { member } of joined) hub.leave(member);
    mock.timers.tick(1000);
    assert.equal(first?.sent.length, 21);
  });
});
