// The door of the state: the model, what changes it, and what is read off it.
export * from './model.ts';
export * from './readings.ts';
export { reduce, type StoreEvent } from './reduce.ts';
export { linkSession, type SessionLink, type SocketLike } from './socket.ts';
export { createStore, type Store, useStore } from './store.ts';
