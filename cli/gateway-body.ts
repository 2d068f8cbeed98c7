// The fields of a gateway from flags. Toolkits are spelled out: the record names tools.
import type { PatchGateway } from "../src/gateways";
import { type AuthType, KEY_AND_USER, OWN_SOURCE, USER_TOKEN } from "../src/gateways/compat";
import type { ToolRecord } from "../src/tools";
import type { Client } from "./client/client";
import { listTools } from "./client/tools";
import { given } from "./command";
import { UsageError } from "./errors";

/** How callers prove who they are, in words of people. */
export const AUTH_NAMES = ["api-key", "user-token", "identity-provider"] as const;
export type AuthName = (typeof AUTH_NAMES)[number];

export interface GatewayFields {
  slug: string | undefined;
  auth: AuthName | undefined;
  userSource: string | undefined;
  tools: string[] | undefined;
  toolkits: string[] | undefined;
  /** False: tools that are to go are left out. */
  deprecated: boolean;
  description: string | undefined;
  instructions: string | undefined;
  status: "active" | "inactive" | undefined;
}

/** Throws `usage` for a tool or toolkit that there is not. */
export async function gatewayBody(client: Client, fields: GatewayFields): Promise<PatchGateway> {
  const { slug, auth, userSource: user_source_id, description, instructions, status } = fields;
  const allowed_tools = await toolsOf(client, fields);
  const filter = allowed_tools === undefined ? {} : { tool_filter: { allowed_tools } };
  const auth_type = auth === undefined ? undefined : WIRE_NAMES[auth];
  return { ...given({ slug, auth_type, user_source_id, description, instructions, status }), ...filter };
}

const WIRE_NAMES: { readonly [N in AuthName]: AuthType } = {
  "api-key": KEY_AND_USER,
  "user-token": USER_TOKEN,
  "identity-provider": OWN_SOURCE,
};

async function toolsOf(
  client: Client,
  { tools = [], toolkits = [], deprecated }: GatewayFields,
): Promise<string[] | undefined> {
  if (tools.length === 0 && toolkits.length === 0 && deprecated) return undefined;
  const all = await everyTool(client);
  const named = tools.map((name) => {
    const found = all.find(({ qualified_name }) => qualified_name.toLowerCase() === name.toLowerCase());
    if (found === undefined)
      throw new UsageError(`--tool: there is no tool "${name}". See: runtime tools list`);
    return found;
  });
  const whole = toolkits.flatMap((name) => {
    const found = all.filter(({ toolkit }) => toolkit.name.toLowerCase() === name.toLowerCase());
    if (found.length === 0) throw new UsageError(`--toolkit: there is no toolkit "${name}".`);
    return found;
  });
  const chosen = tools.length === 0 && toolkits.length === 0 ? all : [...named, ...whole];
  const kept = chosen.filter(({ deprecation_message }) => deprecated || deprecation_message === undefined);
  return [...new Set(kept.map(({ qualified_name }) => qualified_name))];
}

async function everyTool(client: Client): Promise<ToolRecord[]> {
  const all: ToolRecord[] = [];
  for (;;) {
    const { items, total_count } = await listTools(client, { limit: 100, offset: all.length });
    all.push(...items);
    if (items.length === 0 || all.length >= total_count) return all;
  }
}
