// Alone in its file: the page takes it without the schemas.

/** Raised when an older page or program would misread what is sent from now on. It says its own when it connects (`?protocol=`). */
export const frameProtocol = 1;
/** Whoever speaks an older one is told to update and let go. One that says nothing is taken as it comes. */
export const oldestFrameProtocol = 1;

/** What the server says now and then to whoever connects with `?heartbeat=true`: the line holds. It has no number and tells nothing else. */
export const heartbeat = '{"type":"heartbeat"}';
