// Writes the types of every route and frame from the server's own description, then builds the client. What it writes is
// not kept under version control: it follows from the sources.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { root } from '../../scripts/setup/places.js';
import { clientFrames, frameProtocol, serverFrames } from '../../src/protocol/index.ts';
import { type Described, describedRoutes, type Operation } from './routes.ts';
import { type Direction, type JsonSchema, typeOf } from './types.ts';

const folder = import.meta.dirname;
const note = '// Written by generate.ts from the server’s own description.\n';

function routeType({ parameters = [], requestBody, responses }: Operation): string {
  const members: string[] = [];
  for (const [place, key] of [
    ['path', 'path'],
    ['query', 'query'],
  ]) {
    const all = parameters.filter(({ in: where }) => where === place);
    if (all.length === 0) continue;
    const needed = all.some(({ required }) => required);
    const fields = all.map(
      ({ name, required, schema }) => `${JSON.stringify(name)}${required ? '' : '?'}: ${parameterType(schema)}`,
    );
    members.push(`${key}${needed ? '' : '?'}: { ${fields.join('; ')} }`);
  }
  const body = requestBody?.content['application/json']?.schema;
  if (body) members.push(`body: ${typeOf(body, 'input')}`);
  else if (requestBody) members.push('body?: unknown');
  const answer = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const schema = answer?.content?.['application/json']?.schema;
  members.push(`answer: ${schema ? typeOf(schema, 'output') : 'unknown'}`);
  return `{ ${members.join('; ')} }`;
}

/** In an address everything is text, and numbers are written as such. */
const parameterType = (schema: JsonSchema): string => {
  const type = typeOf(schema, 'input');
  return type === 'unknown' ? 'string | number | boolean' : type;
};

function routesSource(paths: Described['paths']): string {
  const routes = Object.entries(paths).flatMap(([place, operations]) =>
    Object.entries(operations).map(
      ([method, operation]) =>
        `  /** ${operation.summary ?? ''} */\n  ${JSON.stringify(`${method.toUpperCase()} ${place}`)}: ${routeType(operation)};\n`,
    ),
  );
  return `${note}export interface Routes {\n${routes.join('')}}\n`;
}

/** As it would be written to a file: plain JSON, like what a server describes. */
const schemaOf = (schema: z.ZodType, io: Direction): JsonSchema =>
  JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' })));

function framesSource(): string {
  const all = (name: string, frames: Record<string, z.ZodType>, io: Direction): string =>
    `export interface ${name} {\n${Object.entries(frames)
      .map(([type, schema]) => `  ${type}: ${typeOf(schemaOf(schema, io), io)};\n`)
      .join('')}}\n`;
  return `${note}export const frameProtocol = ${frameProtocol};\n\n${all('ClientFrames', clientFrames, 'input')}\n${all('ServerFrames', serverFrames, 'output')}`;
}

const sources = path.join(folder, 'src');
fs.writeFileSync(path.join(sources, 'routes.ts'), routesSource(await describedRoutes()));
fs.writeFileSync(path.join(sources, 'frames.ts'), framesSource());
execFileSync(path.join(root, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'inherit' });
