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
export type { CreateGateway, GatewayRecord, PatchGateway, ToolFilter, UpdateGateway } from "./schema";
export { Gateways } from "./service";
export { SignInResources } from "./sign-in-resources";
