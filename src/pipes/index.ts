// The door of the pipes room: how bytes from another process are cut into what was sent.

export { createBodyReader, FrameProblem } from './bodies.ts';
export { createLineSplitter, type LineSplitter } from './lines.ts';
export { withPipes } from './withPipes.ts';
