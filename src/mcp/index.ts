// MCP over a gateway: JSON-RPC in, JSON-RPC out, no transport.
export type { GatewayUser, ResourceMetadata } from "./access";
export { errorReply, PARSE_ERROR, type Reply, requestIdOf, RpcError } from "./json-rpc";
export { namedVersion } from "./versions";
export { Mcp, type Peer } from "./service";
