import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentActivityBody } from '../protocol/index.ts';
import { createAgentActivities, createAgentActivity } from './agentActivity.ts';

const act = { who: 'mei', tool: 'run_cell', title: 'Run a cell', cell_id: 'c1', why: 'to see the mean' };
const inShort = ({ acts, recent, stopped_by }: AgentActivityBody) => [
  acts.map(({ who, tool, why, since }) => `${who} ${tool} ${why} ${since}`),
  recent.map(({ tool, outcome }) => `${tool} ${outcome}`),
  stopped_by,
];

describe('what agents do', () => {
  it('is told when it begins and when it is over, however it ended', async () => {
    const told: unknown[] = [];
    const activity = createAgentActivity(
      (view) => told.push(inShort(view)),
      undefined,
      () => 7,
    );
    assert.equal(await activity.during(act, async () => 3), 3);
    await assert.rejects(
      activity.during({ ...act, tool: 'edit_cell' }, () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.deepEqual(told, [
      [['mei run_cell to see the mean 7'], [], null],
      [[], ['run_cell done'], null],
      [['mei edit_cell to see the mean 7'], ['run_cell done'], null],
      [[], ['edit_cell failed', 'run_cell done'], null],
    ]);
  });

  it('ends when somebody stops it, and nothing more is done until they may go on', async () => {
    const activity = createAgentActivity(() => {});
    let heard = false;
    const running = activity.during(act, (stopped) => {
      stopped.addEventListener('abort', () => {
        heard = true;
      });
      return new Promise<void>(() => {});
    });
    activity.stop('ann');
    await assert.rejects(running, /ann has stopped agents in this notebook/);
    assert.equal(heard, true);
    let began = false;
    await assert.rejects(
      activity.during(act, async () => {
        began = true;
      }),
      /ann has stopped agents/,
    );
    assert.equal(began, false);
    assert.deepEqual(inShort(activity.view()), [[], ['run_cell stopped'], 'ann']);
    activity.goOn();
    await activity.during(act, async () => {});
  });

  it('stays stopped when the notebook is closed and opened again, until they may go on', async () => {
    const activities = createAgentActivities();
    const told: unknown[] = [];
    const opened = (directory: string) => activities.of({ directory }, (view) => told.push(inShort(view)));
    opened('/a').stop('ann');
    told.length = 0;
    const again = opened('/a');
    assert.deepEqual(told, [[[], [], 'ann']], 'whoever opens it sees that they are stopped');
    await assert.rejects(
      again.during(act, async () => {}),
      /ann has stopped agents/,
    );
    await opened('/b').during(act, async () => {});
    again.goOn();
    await opened('/a').during(act, async () => {});
  });
});
