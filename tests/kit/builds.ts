// Builds as clients order and watch them.
import type { z } from 'zod';
import { buildBody, materializeBody } from '../../src/protocol/index.ts';
import type { TestServer } from './server.ts';
import { untilGiven } from './until.ts';

export type BuildBody = z.infer<typeof buildBody>;

export interface BuildOptions {
  readonly inputs?: readonly string[];
  readonly params?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly refresh?: boolean;
}

export const orderBuild = (
  server: TestServer,
  executor: string,
  { inputs = [], params = {}, headers = {}, ...rest }: BuildOptions = {},
) =>
  server.rest.post('/v1/artifacts/materialize', {
    json: { inputs, transform: { executor, params }, ...rest },
    headers,
  });

/** The id of a build that was begun. */
export async function begunBuild(server: TestServer, executor: string, options: BuildOptions = {}): Promise<string> {
  const answer = await orderBuild(server, executor, options);
  if (answer.status !== 200) throw new Error(`materialize answered ${answer.status}: ${answer.text}`);
  const { build_id } = materializeBody.parse(answer.json);
  if (build_id === null) throw new Error(`No build was begun: ${answer.text}`);
  return build_id;
}

export const buildNow = (server: TestServer, id: string, headers: Readonly<Record<string, string>> = {}) =>
  server.rest.read(buildBody, `/v1/artifacts/builds/${id}`, { headers });

/** Asked again and again until it is so. */
export async function buildOnce(
  server: TestServer,
  id: string,
  isSo: (build: BuildBody) => boolean,
  headers: Readonly<Record<string, string>> = {},
): Promise<BuildBody> {
  return untilGiven(async () => {
    const build = await buildNow(server, id, headers);
    return isSo(build) ? build : undefined;
  }, `build ${id} is as expected`);
}

export const isOver = ({ state }: BuildBody): boolean => state === 'ready' || state === 'failed';
