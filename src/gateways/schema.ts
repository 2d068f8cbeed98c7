// Records of gateways: MCP addresses with a set of tools.
import { type Static, Type } from "typebox";
import { BindingResponse } from "../identity/schema";
import { AUTH_TYPES, USER_TOKEN } from "./compat";

const time = Type.String({ format: "date-time" });
const name = Type.String({ minLength: 1, maxLength: 256 });
const description = Type.String({ maxLength: 1000 });
const instructions = Type.String({
  maxLength: 5000,
  description: "Given to MCP clients when they start a session.",
});
const slug = Type.String({
  maxLength: 256,
  description: "Public name in the address: lower-case letters, digits, - and _. Unique on the server.",
});
const HOW = "How callers authenticate.";
const INACTIVE = "An inactive gateway answers 404.";
const authType = Type.Enum([...AUTH_TYPES], { description: HOW });
const status = Type.Enum(["active", "inactive"], { description: INACTIVE });
const userSource = Type.String({ minLength: 1, maxLength: 100 });
const headers = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
  maxItems: 100,
  description: "Headers of clients that MCP workers get.",
});
const clientIds = Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 64 });
const groups = Type.Array(Type.String({ minLength: 1, maxLength: 512 }), {
  maxItems: 100,
  description:
    "Groups of people at the provider where they sign in; only their members may use the gateway. Empty: everybody.",
});
const toolName = Type.String({
  maxLength: 256,
  pattern: "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$",
  description: "Toolkit.Tool, without a version.",
});

export const ToolFilter = Type.Object({
  allowed_tools: Type.Optional(
    Type.Array(toolName, { maxItems: 500, description: "Absent: all tools of the project. Empty: none." }),
  ),
  discovery: Type.Optional(
    Type.Object(
      {
        enabled: Type.Optional(Type.Boolean()),
        allowed_classes: Type.Optional(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 10 })),
        pinned_asset_keys: Type.Optional(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 500 })),
      },
      {
        description:
          "With `enabled`, MCP clients search for tools: the gateway lists `search_tools`, `describe_tool`, `call_tool` and the pinned tools.",
      },
    ),
  ),
});

const optional = {
  slug: Type.Optional(slug),
  description: Type.Optional(description),
  instructions: Type.Optional(instructions),
  user_source_id: Type.Optional(userSource),
  allowed_passthrough_headers: Type.Optional(headers),
  consent_skip_client_ids: Type.Optional(clientIds),
  allowed_groups: Type.Optional(groups),
  tool_filter: Type.Optional(ToolFilter),
};
const choices = {
  auth_type: Type.Optional(Type.Enum([...AUTH_TYPES], { default: USER_TOKEN, description: HOW })),
  status: Type.Optional(Type.Enum(["active", "inactive"], { default: "active", description: INACTIVE })),
};

export const CreateGatewayRequest = Type.Object({ name, ...optional, ...choices });

/** Replaces the whole record: omitted fields return to their default, except the slug, which does not change. */
export const UpdateGatewayRequest = Type.Object({
  id: Type.String({ maxLength: 256 }),
  name,
  ...optional,
  ...choices,
});

export const PatchGatewayRequest = Type.Object({
  name: Type.Optional(name),
  ...optional,
  auth_type: Type.Optional(authType),
  status: Type.Optional(status),
});

const UnknownTool = Type.Object({ name: Type.String(), message: Type.String() });

export const GatewayResponse = Type.Object({
  id: Type.String(),
  name,
  ...optional,
  slug,
  auth_type: authType,
  status,
  unknown_tools: Type.Optional(
    Type.Array(UnknownTool, {
      description:
        "Names in tool_filter that no tool of this version has: perhaps mistyped, or of a later version.",
    }),
  ),
  binding: BindingResponse,
  created_at: time,
  updated_at: time,
});

export const SlugInfoRequest = Type.Object({ slug });
export const SlugInfoResponse = Type.Object({ available: Type.Boolean() });

export type CreateGateway = Static<typeof CreateGatewayRequest>;
export type UpdateGateway = Static<typeof UpdateGatewayRequest>;
export type PatchGateway = Static<typeof PatchGatewayRequest>;
export type GatewayRecord = Static<typeof GatewayResponse>;
export type ToolFilter = Static<typeof ToolFilter>;
export type UnknownTool = Static<typeof UnknownTool>;
