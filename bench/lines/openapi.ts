// The description of the API: the first answer makes it, later ones should not have to.
import { type Context, kept, type Line } from '../line.ts';
import { svcServer } from '../programs/own.ts';
import { type RunningProgram, startProgram } from '../programs/program.ts';

const startServer = (context: Context): Promise<RunningProgram> => startProgram(context, svcServer());

async function answerTime({ port }: RunningProgram): Promise<number> {
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/openapi.json`);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`/openapi.json answered ${answer.status}`);
  return performance.now() - began;
}

export const firstDescription: Line = {
  name: '/openapi.json, first answer',
  unit: 'ms',
  warmUp: true,
  async ours(context) {
    const server = await startServer(context);
    const milliseconds = await answerTime(server);
    await server.stop();
    return milliseconds;
  },
};

const server = kept(startServer);

export const laterDescription: Line = {
  name: '/openapi.json, later answers',
  unit: 'ms',
  warmUp: true,
  ours: async (context) => answerTime(await server(context)),
};
