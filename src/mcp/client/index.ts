// The client half of MCP, for whatever reaches servers of others.
export { McpClient, McpPeer, type PeerOptions } from "./client";
export { BrokenAnswer, ProtocolError, ServerError, ServerTimeout, StatusError } from "./failure";
export { headerFault, metadataHeaders } from "./headers";
export { type Listed, listAll } from "./list";
export type { ClientRequest, Send } from "./send";
export type { ServerFacts } from "./sessions";
