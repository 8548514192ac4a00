// The field that the graph stands in: it is dragged and zoomed. What stands in it comes from elsewhere, so that this is made once.
import { Background, ControlButton, Controls, ReactFlow, type ReactFlowInstance } from '@xyflow/react';
import { memo } from 'react';
import { Icon } from '../ui/index.ts';
import type { Viewport } from './graphSight.ts';
import { smallest } from './useGraphView.ts';

interface GraphFieldProps {
  readonly onInit: (flow: ReactFlowInstance) => void;
  readonly onLook: (viewport: Viewport) => void;
  readonly onShowAll: () => void;
}

export const GraphField = memo(function GraphField({ onInit, onLook, onShowAll }: GraphFieldProps) {
  return (
    <ReactFlow
      disableKeyboardA11y
      onInit={onInit}
      onMove={(_event, viewport) => onLook(viewport)}
      minZoom={smallest}
      proOptions={{ hideAttribution: true }}
    >
      <Background />
      <Controls showInteractive={false} showFitView={false}>
        <ControlButton title="Show all of it" aria-label="Show all of it" onClick={onShowAll}>
          <Icon name="whole" size={12} />
        </ControlButton>
      </Controls>
    </ReactFlow>
  );
});
