// The fields of a gateway from flags. A toolkit is expanded, because the record contains tools only.
import type { PatchGateway } from "../src/gateways";
import { type AuthType, KEY_AND_USER, OWN_SOURCE, USER_TOKEN } from "../src/gateways/compat";
import type { ToolRecord } from "../src/tools";
import type { Client } from "./client/client";
import { listTools } from "./client/tools";
import { defined } from "./command";
import { everyRecord } from "./pages";
import { unknownName } from "./unknown-name";

/** How callers authenticate. */
export const AUTH_NAMES = ["api-key", "user-token", "identity-provider"] as const;
export type AuthName = (typeof AUTH_NAMES)[number];

export interface GatewayFields {
  slug: string | undefined;
  auth: AuthName | undefined;
  userSource: string | undefined;
  tools: string[] | undefined;
  toolkits: string[] | undefined;
  /** Whether clients search for tools. */
  search?: boolean | undefined;
  /** Tools that are listed although clients search. */
  pinned?: string[] | undefined;
  /** False: deprecated tools are excluded. */
  deprecated: boolean;
  /** Groups whose members may use it; an empty list: everybody. */
  groups?: string[] | undefined;
  description: string | undefined;
  instructions: string | undefined;
  status: "active" | "inactive" | undefined;
}

/** Throws `not_found` for an unknown tool or toolkit, with the nearest one. */
export async function gatewayBody(client: Client, fields: GatewayFields): Promise<PatchGateway> {
  const { slug, auth, userSource: user_source_id, description, instructions, status } = fields;
  const tool_filter = defined({
    allowed_tools: await toolsOf(client, fields),
    discovery: await discoveryOf(client, fields),
  });
  const filter = Object.keys(tool_filter).length === 0 ? {} : { tool_filter };
  const auth_type = auth === undefined ? undefined : WIRE_NAMES[auth];
  const record = { slug, auth_type, user_source_id, description, instructions, status };
  return { ...defined({ ...record, allowed_groups: fields.groups }), ...filter };
}

const WIRE_NAMES: { readonly [N in AuthName]: AuthType } = {
  "api-key": KEY_AND_USER,
  "user-token": USER_TOKEN,
  "identity-provider": OWN_SOURCE,
};

async function discoveryOf(client: Client, { search, pinned }: GatewayFields) {
  if (search === undefined && pinned === undefined) return undefined;
  const all = pinned === undefined ? [] : await everyRecord((window) => listTools(client, window));
  const names = pinned && namedTools(all, pinned).map(({ qualified_name }) => qualified_name);
  return defined({ enabled: search, pinned_asset_keys: names });
}

/** Throws `not_found` for an unknown tool, with the nearest one. */
function namedTools(all: readonly ToolRecord[], names: readonly string[]): ToolRecord[] {
  return names.map((name) => {
    const found = all.find(({ qualified_name }) => qualified_name.toLowerCase() === name.toLowerCase());
    if (found !== undefined) return found;
    const known = all.map(({ qualified_name }) => qualified_name);
    throw unknownName("tool", name, known, "runtime tools list");
  });
}

async function toolsOf(
  client: Client,
  { tools = [], toolkits = [], deprecated }: GatewayFields,
): Promise<string[] | undefined> {
  if (tools.length === 0 && toolkits.length === 0 && deprecated) return undefined;
  const all = await everyRecord((window) => listTools(client, window));
  const named = namedTools(all, tools);
  const whole = toolkits.flatMap((name) => {
    const found = all.filter(({ toolkit }) => toolkit.name.toLowerCase() === name.toLowerCase());
    if (found.length === 0) {
      const known = [...new Set(all.map(({ toolkit }) => toolkit.name))];
      throw unknownName("toolkit", name, known, "runtime toolkits list");
    }
    return found;
  });
  const chosen = tools.length === 0 && toolkits.length === 0 ? all : [...named, ...whole];
  const offered = chosen.filter(({ deprecation_message }) => deprecated || deprecation_message === undefined);
  return [...new Set(offered.map(({ qualified_name }) => qualified_name))];
}
