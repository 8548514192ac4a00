// What can be opened under a cell: a prompt on its inputs, its tests, its earlier results, its iterations, its variants, its failure.
import { lazy, Suspense } from 'react';
import { useView } from '../notebook/context.ts';
import { Guard } from '../ui/index.ts';

const CommentsTool = lazy(() => import('./CommentsTool.tsx').then((room) => ({ default: room.CommentsTool })));
const FailureTool = lazy(() => import('./FailureTool.tsx').then((room) => ({ default: room.FailureTool })));
const InspectTool = lazy(() => import('./InspectTool.tsx').then((room) => ({ default: room.InspectTool })));
const IterationsTool = lazy(() => import('./IterationsTool.tsx').then((room) => ({ default: room.IterationsTool })));
const ResultsTool = lazy(() => import('./ResultsTool.tsx').then((room) => ({ default: room.ResultsTool })));
const VariantsTool = lazy(() => import('./VariantsTool.tsx').then((room) => ({ default: room.VariantsTool })));
const TestsTool = lazy(() => import('./TestsTool.tsx').then((room) => ({ default: room.TestsTool })));

export function CellTools({ cellId }: { cellId: string }) {
  const tool = useView((view) => view.tools.get(cellId));
  if (tool === undefined) return null;
  return (
    <Guard key={tool} what="This tool">
      <Suspense fallback={null}>
        {tool === 'inspect' && <InspectTool cellId={cellId} />}
        {tool === 'tests' && <TestsTool cellId={cellId} />}
        {tool === 'results' && <ResultsTool cellId={cellId} />}
        {tool === 'comments' && <CommentsTool cellId={cellId} />}
        {tool === 'iterations' && <IterationsTool cellId={cellId} />}
        {tool === 'variants' && <VariantsTool cellId={cellId} />}
        {tool === 'failure' && <FailureTool cellId={cellId} />}
      </Suspense>
    </Guard>
  );
}
