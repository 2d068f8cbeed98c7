// Gateways, on the data folder and over HTTP.
import type { Page } from "../../src/base";
import type { CreateGateway, GatewayRecord, PatchGateway, UpdateGateway } from "../../src/gateways";
import type { Caller } from "../../src/identity";
import { notFound } from "../../src/errors";
import { capability, type Client } from "./client";
import { path, type Server } from "./http";

export interface GatewaysWindow {
  limit?: number;
  offset?: number;
}

export const listGateways = capability<[window: GatewaysWindow], Page<GatewayRecord>>({
  direct: async ({ runtime, principal }, window) => {
    const { paging } = await import("../../src/base");
    return runtime.gateways.list(principal, paging(window));
  },
  remote: async (server, window) => server.get(await prefix(server), { ...window }),
});

export const getGateway = capability<[id: string], GatewayRecord>({
  direct: ({ runtime, principal }, id) => runtime.gateways.get(principal, id),
  remote: async (server, id) => server.get(path(`${await prefix(server)}/`, id)),
});

export const createGateway = capability<[request: CreateGateway], GatewayRecord>({
  direct: async ({ runtime, principal, checked }, request) => {
    const { CreateGatewayRequest } = await import("../../src/gateways/schema");
    return runtime.gateways.create(principal, checked(CreateGatewayRequest, request));
  },
  remote: async (server, request) => server.send("POST", await prefix(server), request),
});

export const updateGateway = capability<[id: string, patch: PatchGateway], GatewayRecord>({
  direct: async ({ runtime, principal, checked }, id, patch) => {
    const { PatchGatewayRequest } = await import("../../src/gateways/schema");
    return runtime.gateways.patch(principal, id, checked(PatchGatewayRequest, patch));
  },
  remote: async (server, id, patch) => server.send("PATCH", path(`${await prefix(server)}/`, id), patch),
});

export const replaceGateway = capability<[id: string, request: UpdateGateway], GatewayRecord>({
  direct: async ({ runtime, principal, checked }, id, request) => {
    const { UpdateGatewayRequest } = await import("../../src/gateways/schema");
    return runtime.gateways.replace(principal, id, checked(UpdateGatewayRequest, request));
  },
  remote: async (server, id, request) => server.send("PUT", path(`${await prefix(server)}/`, id), request),
});

export const deleteGateway = capability<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.gateways.delete(principal, id),
  remote: async (server, id) => server.send("DELETE", path(`${await prefix(server)}/`, id)),
});

export const slugInfo = capability<[slug: string], { available: boolean }>({
  direct: async ({ runtime, checked }, slug) => {
    const { SlugInfoRequest } = await import("../../src/gateways/schema");
    return runtime.gateways.slugInfo(checked(SlugInfoRequest, { slug }).slug);
  },
  remote: async (server, slug) => server.send("POST", `${await prefix(server)}/slug`, { slug }),
});

/** Where MCP clients reach a gateway. */
export const gatewayAddress = capability<[slug: string], string>({
  direct: async ({ runtime, server }, slug) => {
    await server();
    return runtime.gateways.addressOf({ slug });
  },
  remote: async (server, slug) => `${server.address}/mcp/${slug}`,
});

/** The gateway of an id or a slug: people know the slug. Throws `not_found`. */
export async function findGateway(client: Client, idOrSlug: string): Promise<GatewayRecord> {
  if (/^gw_[0-9a-f]{32}$/.test(idOrSlug)) return getGateway(client, idOrSlug);
  for (let offset = 0; ;) {
    const { items, total_count } = await listGateways(client, { limit: 100, offset });
    const found = items.find(({ slug }) => slug === idOrSlug);
    if (found !== undefined) return found;
    offset += items.length;
    if (items.length === 0 || offset >= total_count) break;
  }
  throw notFound("There is no gateway with this id or slug in this project.");
}

// Their addresses name organization and project, which the key knows.
async function prefix(server: Server): Promise<string> {
  const { org_id, project_id } = await server.get<Caller>("/v1/caller");
  return `/v1/orgs/${org_id}/projects/${project_id}/gateways`;
}
