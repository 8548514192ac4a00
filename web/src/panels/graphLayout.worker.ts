// Lays out graphs beside the page: for hundreds of cells that takes a second, in which nobody could type.
import { layOut, type Pair } from './graphLayout.ts';

addEventListener('message', ({ data }: MessageEvent<{ id: number; pairs: readonly Pair[] }>) => {
  postMessage({ id: data.id, layout: layOut(data.pairs) });
});
