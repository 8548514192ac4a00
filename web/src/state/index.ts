// The door of the page's state: the model that it shares with the terminal viewer, and how components read it.
export * from '../../../src/model/index.ts';
export { useStore } from './useStore.ts';
