// Gateways: MCP addresses with a set of tools.
export {
  AUTH_TYPE_NAMES,
  AUTH_TYPES,
  type AuthType,
  KEY_AND_USER,
  OWN_SOURCE,
  USER_HEADERS,
  USER_TOKEN,
} from "./compat";
export type { Gateway } from "./record";
export {
  type CreateGateway,
  CreateGatewayRequest,
  type GatewayRecord,
  GatewayResponse,
  type PatchGateway,
  PatchGatewayRequest,
  SlugInfoRequest,
  SlugInfoResponse,
  ToolFilter,
  type UpdateGateway,
  UpdateGatewayRequest,
} from "./schema";
export { Gateways } from "./service";
