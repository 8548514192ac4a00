// The door of the protocol that agents speak.
export { type Calls, clientOf, createCalls } from './calls.ts';
export { createMcpServer } from './server.ts';
export { createAgentServices, type McpParts } from './services.ts';
