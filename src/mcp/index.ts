// MCP over a gateway: JSON-RPC in, JSON-RPC out, no transport.
export type { GatewayUser, ResourceMetadata } from "./access";
export {
  errorReply,
  HEADER_MISMATCH,
  identifierIn,
  PARSE_ERROR,
  type Reply,
  requestIdOf,
  RpcError,
} from "./json-rpc";
export { runsTool } from "./requests";
export { MODERN, namedVersion } from "./versions";
export { Mcp, type Peer } from "./service";
export { WELL_KNOWN } from "./resource";
