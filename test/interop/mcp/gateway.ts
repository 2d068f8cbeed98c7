// A real deployment with a gateway for the clients of this folder.
import { expect } from "bun:test";
import type { JsonObject } from "../../../src/base";
import { api } from "../../support/api";
import { type Site, type SiteOptions, startSite } from "../../support/site";
import { conformanceCatalogs, toolChange } from "./fixtures";

export const USER = "alice";

export interface GatewaySite extends AsyncDisposable {
  readonly site: Site;
  /** An API key with the role `run`. */
  readonly key: string;
  /** Creates a gateway with API keys and user headers, or from `record`; returns its MCP address. */
  gateway(slug: string, record?: JsonObject): Promise<string>;
}

export async function startGatewaySite(options: SiteOptions = {}): Promise<GatewaySite> {
  const site = await startSite(options);
  return gatewaySiteOf(site);
}

export async function gatewaySiteOf(site: Site): Promise<GatewaySite> {
  const admin = api(site.url, await site.key("admin"));
  return {
    site,
    key: await site.key("run"),
    gateway: async (slug, record = {}) => {
      const answer = await admin.post("/v1/orgs/default/projects/default/gateways", {
        name: `Gateway ${slug}`,
        slug,
        auth_type: "arcade_header",
        ...record,
      });
      expect(answer.status, answer.text).toBe(201);
      return `${site.url}/mcp/${slug}`;
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}

/** Headers of a client of a gateway with `auth_type: arcade_header`. */
export function credentials(key: string, user = USER): Record<string, string> {
  return { authorization: `Bearer ${key}`, "x-user-id": user };
}

/** A tool that the gateway with the fixtures gains and loses. */
const MORE = "Chat.ListUsers";

/** A gateway with the fixtures of the conformance suite only. */
export async function startFixtureSite(): Promise<GatewaySite & { readonly address: string }> {
  const made = await startGatewaySite({ moreCatalogs: conformanceCatalogs });
  const names = conformanceCatalogs.flatMap(({ toolkit, tools }) =>
    tools.map(({ name }) => `${toolkit.name}.${name}`),
  );
  const address = await made.gateway("conformance", { tool_filter: { allowed_tools: names } });
  const { runtime } = made.site;
  const operator = await runtime.identity.operator("default");
  toolChange.trigger = async () => {
    const { items } = await runtime.gateways.list(operator, { limit: 100, offset: 0 });
    const { id = "" } = items.find(({ slug }) => slug === "conformance") ?? {};
    const { tool_filter } = await runtime.gateways.get(operator, id);
    const hasMore = tool_filter?.allowed_tools?.includes(MORE) === true;
    await runtime.gateways.patch(operator, id, {
      tool_filter: { allowed_tools: hasMore ? names : [...names, MORE] },
    });
  };
  return { ...made, address };
}
