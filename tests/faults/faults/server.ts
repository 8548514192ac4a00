import type { Fault } from '../fault.ts';

export const serverKilled: Fault = {
  name: 'server',
  says: 'kill -9 of the server, which is started again',
  lastsBelow: 1,
  async strike({ server }) {
    await server.stop('SIGKILL');
    return { what: 'the server', endsServer: true, lift: async () => {} };
  },
};
