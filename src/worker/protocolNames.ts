// How the protocol calls itself, in one place that costs nothing to load.
export const executorProtocol = 'v1';
export const cellProtocol = 'notebook-cell-v1';
export const cellTransform = 'notebook_cell@v1';
export const manifestProtocol = 'notebook-build-manifest@v1';
