// The door of the pipes room: how bytes from another process or over a wire are cut into what was sent.

export { createBodyReader, FrameProblem } from './bodies.ts';
export { createLineSplitter, type LineSplitter } from './lines.ts';
export { isMultipart, readMultipart, readSmall } from './multipart.ts';
export { withPipes } from './withPipes.ts';
