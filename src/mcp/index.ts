// MCP over a gateway: JSON-RPC in, JSON-RPC out, no transport.
export type { GatewayUser, ResourceMetadata } from "./access";
export {
  errorReply,
  HEADER_MISMATCH,
  identifierIn,
  METHOD_NOT_FOUND,
  INVALID_PARAMS,
  URL_ELICITATION_REQUIRED,
  PARSE_ERROR,
  type Reply,
  requestIdOf,
  RpcError,
} from "./json-rpc";
export { runsTool } from "./requests";
export { MODERN, namedVersion } from "./versions";
export type { List, ListKind } from "./list-changes";
export { Mcp, type Peer } from "./service";
export type { SessionStream } from "./subscription";
export { WELL_KNOWN } from "../resource-address";
export {
  BrokenAnswer,
  headerFault,
  type Listed,
  listAll,
  McpClient,
  type McpPeer,
  metadataHeaders,
  type PeerOptions,
  ProtocolError,
  type Send,
  ServerError,
  type ServerFacts,
  ServerTimeout,
  StatusError,
} from "./client";
