// The door of the protocol that agents speak.
export { createMcpServer } from './server.ts';
export { createAgentServices, type McpParts } from './services.ts';
