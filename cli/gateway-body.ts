// The fields of a gateway from flags. A toolkit is expanded, because the record contains tools only.
import type { PatchGateway } from "../src/gateways";
import { type AuthType, KEY_AND_USER, OWN_SOURCE, USER_TOKEN } from "../src/gateways/compat";
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
  /** False: deprecated tools are excluded. */
  deprecated: boolean;
  description: string | undefined;
  instructions: string | undefined;
  status: "active" | "inactive" | undefined;
}

/** Throws `not_found` for an unknown tool or toolkit, with the nearest one. */
export async function gatewayBody(client: Client, fields: GatewayFields): Promise<PatchGateway> {
  const { slug, auth, userSource: user_source_id, description, instructions, status } = fields;
  const allowed_tools = await toolsOf(client, fields);
  const filter = allowed_tools === undefined ? {} : { tool_filter: { allowed_tools } };
  const auth_type = auth === undefined ? undefined : WIRE_NAMES[auth];
  return { ...defined({ slug, auth_type, user_source_id, description, instructions, status }), ...filter };
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
  const all = await everyRecord((window) => listTools(client, window));
  const named = tools.map((name) => {
    const found = all.find(({ qualified_name }) => qualified_name.toLowerCase() === name.toLowerCase());
    if (found === undefined) {
      const known = all.map(({ qualified_name }) => qualified_name);
      throw unknownName("tool", name, known, "runtime tools list");
    }
    return found;
  });
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
