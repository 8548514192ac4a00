// The door of the model: what whoever watches a session knows of its notebook, what changes it, and what is read off it.
export { cellName, givenName, isImported } from '../cellName.ts';
export { isExactNumber } from '../exactJson.ts';
export { touchedInDetail, touchedInWords } from '../touched.ts';
export * from './model.ts';
export { notAllowed } from './notAllowed.ts';
export { planOf, type RunForecast, reach } from './planning.ts';
export * from './readings.ts';
export { reduce, type StoreEvent } from './reduce.ts';
export { linkSession, type SessionLink, type SocketLike } from './socket.ts';
export { createStore, type Store } from './store.ts';
