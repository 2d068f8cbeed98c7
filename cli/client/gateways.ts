// Gateways, on the data folder and over HTTP.
import type { Page, Paging } from "../../src/base";
import type { CreateGateway, GatewayRecord, PatchGateway, UpdateGateway } from "../../src/gateways";
import type { Caller } from "../../src/identity";
import { everyRecord } from "../pages";
import { recordNamed } from "../unknown-name";
import { type Client, operation } from "./client";
import { path, type Server } from "./http";

export const listGateways = operation<[window: Paging], Page<GatewayRecord>>({
  direct: ({ runtime, principal }, window) => runtime.gateways.list(principal, window),
  remote: async (server, window) => server.get(await prefix(server), { ...window }),
});

export const getGateway = operation<[id: string], GatewayRecord>({
  direct: ({ runtime, principal }, id) => runtime.gateways.get(principal, id),
  remote: async (server, id) => server.get(path(`${await prefix(server)}/`, id)),
});

export const createGateway = operation<[request: CreateGateway], GatewayRecord>({
  direct: async ({ runtime, principal, checked }, request) => {
    const { CreateGatewayRequest } = await import("../../src/gateways/schema");
    return runtime.gateways.create(principal, checked(CreateGatewayRequest, request));
  },
  remote: async (server, request) => server.send("POST", await prefix(server), request),
});

export const updateGateway = operation<[id: string, patch: PatchGateway], GatewayRecord>({
  direct: async ({ runtime, principal, checked }, id, patch) => {
    const { PatchGatewayRequest } = await import("../../src/gateways/schema");
    return runtime.gateways.patch(principal, id, checked(PatchGatewayRequest, patch));
  },
  remote: async (server, id, patch) => server.send("PATCH", path(`${await prefix(server)}/`, id), patch),
});

export const replaceGateway = operation<[id: string, request: UpdateGateway], GatewayRecord>({
  direct: async ({ runtime, principal, checked }, id, request) => {
    const { UpdateGatewayRequest } = await import("../../src/gateways/schema");
    return runtime.gateways.replace(principal, id, checked(UpdateGatewayRequest, request));
  },
  remote: async (server, id, request) => server.send("PUT", path(`${await prefix(server)}/`, id), request),
});

export const deleteGateway = operation<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.gateways.delete(principal, id),
  remote: async (server, id) => server.send("DELETE", path(`${await prefix(server)}/`, id)),
});

export const slugInfo = operation<[slug: string], { available: boolean }>({
  direct: async ({ runtime, checked }, slug) => {
    const { SlugInfoRequest } = await import("../../src/gateways/schema");
    return runtime.gateways.slugInfo(checked(SlugInfoRequest, { slug }).slug);
  },
  remote: async (server, slug) => server.send("POST", `${await prefix(server)}/slug`, { slug }),
});

/** The address of a gateway for MCP clients. */
export const gatewayAddress = operation<[slug: string], string>({
  direct: async ({ served }, slug) => (await served()).gateways.addressOf({ slug }),
  remote: async (server, slug) => `${server.address}/mcp/${slug}`,
});

/** Finds a gateway by its id, its slug or its name. Throws `not_found`. */
export async function findGateway(client: Client, idOrSlug: string): Promise<GatewayRecord> {
  if (/^gw_[0-9a-f]{32}$/.test(idOrSlug)) return getGateway(client, idOrSlug);
  const gateways = await everyRecord((window) => listGateways(client, window));
  const found = gateways.find(({ slug }) => slug === idOrSlug);
  if (found !== undefined) return found;
  const slugs = gateways.map((gateway) => ({ ...gateway, id: gateway.slug }));
  const { id: slug } = recordNamed("gateway", idOrSlug, slugs, "runtime gateways list");
  return gateways.find((gateway) => gateway.slug === slug) ?? getGateway(client, idOrSlug);
}

// The path contains the organization and project of the API key.
async function prefix(server: Server): Promise<string> {
  const { org_id, project_id } = await server.get<Caller>("/v1/caller");
  return `/v1/orgs/${org_id}/projects/${project_id}/gateways`;
}
