// The door of the protocol that agents speak.
export { type Calls, createCalls, isInitialize } from './calls.ts';
export { createMcpServer } from './server.ts';
export { createAgentServices, type McpParts } from './services.ts';
