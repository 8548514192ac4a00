// References that follow from the sources: every route with what it asks for and answers, every frame of a socket.
import { z } from 'zod';
import { describedRoutes } from '../../clients/typescript/routes.ts';
import { type Direction, type JsonSchema, typeOf } from '../../clients/typescript/types.ts';
import { clientFrames, serverFrames } from '../../src/protocol/index.ts';

export async function routesReference(): Promise<string> {
  const rows = Object.entries(await describedRoutes()).flatMap(([place, operations]) =>
    Object.entries(operations).map(([method, { summary = '', responses, tags = [] }]) => ({
      group: tags[0] ?? 'other',
      row: `| \`${method.toUpperCase()} ${place}\` | ${summary} | ${Object.keys(responses).join(' ')} |`,
    })),
  );
  const groups = [...Map.groupBy(rows, ({ group }) => group)].sort(([one], [other]) => one.localeCompare(other));
  const tables = groups.map(
    ([group, all]) => `## ${group}\n\n| Route | | Statuses |\n|---|---|---|\n${all.map(({ row }) => row).join('\n')}\n`,
  );
  return `# Routes\n\nShapes of bodies and answers: \`/redoc\` on a running server, or \`/openapi.json\`.\n\n${tables.join('\n')}`;
}

export function framesReference(): string {
  const list = (title: string, frames: Record<string, z.ZodType>, io: Direction): string =>
    `## ${title}\n\n${Object.entries(frames)
      .map(([type, schema]) => `### ${type}\n\n\`\`\`ts\n${typeOf(jsonSchema(schema, io), io)}\n\`\`\`\n`)
      .join('\n')}`;
  return `# Frames\n\nOf \`/v1/notebooks/ws/{session_id}\`. Clients send \`{type, payload}\`, the server \`{type, seq, ts, payload}\`.\n\n${list('From clients', clientFrames, 'input')}\n${list('From the server', serverFrames, 'output')}`;
}

/** As it would be written to a file: plain JSON, like what a server describes. */
export const jsonSchema = (schema: z.ZodType, io: Direction): JsonSchema =>
  JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' })));
