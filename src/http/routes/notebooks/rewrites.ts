// Changes of several cells at once: names that several cells write become explicit, cells that only work as one are joined.
import { z } from 'zod';
import {
  ambiguousNames,
  joinCells,
  makeExplicit,
  namePlaces,
  previewExplicit,
  previewRename,
  renameName,
} from '../../../notebook/index.ts';
import {
  ambiguousNamesBody,
  detailBody,
  detailObjectBody,
  explicitPreviewBody,
  joinCellsBody,
  joinCellsRequest,
  makeExplicitBody,
  makeExplicitRequest,
  namePlacesBody,
  renameBody,
  renamePreviewBody,
  renameRequest,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { authorOf, sessionOf, sessionParams, tellState } from './shared.ts';

const tags = ['cells'];
const response = { 404: detailBody, 409: detailObjectBody };

export function rewriteRoutes(app: App, services: Services): void {
  const { explicitNames } = services;

  app.get(
    '/v1/notebooks/:session_id/names/ambiguous',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'Names that several cells write, and what each cell reads',
        params: sessionParams,
        response: { 200: ambiguousNamesBody, 404: detailBody },
      },
    },
    async (request) => {
      const { live } = sessionOf(services, request.params.session_id);
      return { names: await ambiguousNames(explicitNames, live) };
    },
  );

  app.get(
    '/v1/notebooks/:session_id/names/explicit',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'What making a name explicit would change',
        params: sessionParams,
        querystring: z.object({ name: z.string().max(200) }),
        response: { 200: explicitPreviewBody, ...response },
      },
    },
    async (request) =>
      previewExplicit(explicitNames, sessionOf(services, request.params.session_id).live, request.query.name),
  );

  app.post(
    '/v1/notebooks/:session_id/names/explicit',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Give each definition of a name a name of its own, as it was looked at',
        params: sessionParams,
        body: makeExplicitRequest,
        response: { 200: makeExplicitBody, ...response },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const { name, token, author } = request.body;
      const made = await makeExplicit(explicitNames, session.live, {
        name,
        token,
        author: authorOf(request.caller.principal, author),
      });
      tellState(services, session);
      return { ...made, cells: session.live.cellRecords(), dag: session.live.dag() };
    },
  );

  nameRoutes(app, services);
}

function nameRoutes(app: App, services: Services): void {
  const { explicitNames } = services;

  app.get(
    '/v1/notebooks/:session_id/names/places',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'Where cells define and read a name',
        params: sessionParams,
        querystring: z.object({ name: z.string().max(200) }),
        response: { 200: namePlacesBody, 404: detailBody },
      },
    },
    async (request) => {
      const { live } = sessionOf(services, request.params.session_id);
      const { name } = request.query;
      return { name, places: await namePlaces(explicitNames, live, name) };
    },
  );

  app.get(
    '/v1/notebooks/:session_id/names/rename',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'What renaming a name in all cells would change',
        params: sessionParams,
        querystring: z.object({ name: z.string().max(200), to: z.string().max(200) }),
        response: { 200: renamePreviewBody, ...response },
      },
    },
    async (request) => {
      const { name, to } = request.query;
      return previewRename(explicitNames, sessionOf(services, request.params.session_id).live, name, to);
    },
  );

  app.post(
    '/v1/notebooks/:session_id/names/rename',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Rename a name in all cells, as it was looked at',
        params: sessionParams,
        body: renameRequest,
        response: { 200: renameBody, ...response },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const { author, ...wanted } = request.body;
      const made = await renameName(explicitNames, session.live, {
        ...wanted,
        author: authorOf(request.caller.principal, author),
      });
      tellState(services, session);
      return { ...made, cells: session.live.cellRecords(), dag: session.live.dag() };
    },
  );

  app.post(
    '/v1/notebooks/:session_id/cells/join',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Make one cell of several',
        description:
          'Their sources in order, a blank line between; the id and the name of the first stay. Refused where annotations or settings contradict each other, or a cell between them must stay between them.',
        params: sessionParams,
        body: joinCellsRequest,
        response: { 200: joinCellsBody, 400: detailBody, ...response },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const { cell_ids: cellIds, author } = request.body;
      const { cellId, removed, before } = await joinCells(session.live, {
        cellIds,
        author: authorOf(request.caller.principal, author),
      });
      tellState(services, session);
      return {
        cell_id: cellId,
        removed_cell_ids: [...removed],
        before: { source: before.source, cell_ids: [...before.order] },
        cells: session.live.cellRecords(),
        dag: session.live.dag(),
      };
    },
  );
}
