// Auth providers, on the data folder and over HTTP.
import type { Page } from "../../src/base";
import type { AuthProvider, ProviderSetup } from "../../src/providers";
import { operation } from "./client";
import { path } from "./http";

type Body = { readonly [key: string]: unknown };

const PROVIDERS = "/v1/admin/auth_providers";

export const listProviders = operation<[], Page<AuthProvider>>({
  direct: async ({ served, principal }) => (await served()).providers.list(principal),
  remote: (server) => server.get(PROVIDERS),
});

export const getProvider = operation<[id: string], AuthProvider>({
  direct: async ({ served, principal }, id) => (await served()).providers.get(principal, id),
  remote: (server, id) => server.get(path(`${PROVIDERS}/`, id)),
});

export const createProvider = operation<[body: Body], AuthProvider>({
  direct: async ({ served, principal, checked }, body) => {
    const { AuthProviderCreateRequest } = await import("../../src/providers/schema");
    const request = checked(AuthProviderCreateRequest, body);
    return (await served()).providers.create(principal, request);
  },
  remote: (server, body) => server.send("POST", PROVIDERS, body),
});

export const updateProvider = operation<[id: string, patch: Body], AuthProvider>({
  direct: async ({ served, principal, checked }, id, patch) => {
    const { AuthProviderPatchRequest } = await import("../../src/providers/schema");
    const request = checked(AuthProviderPatchRequest, patch);
    return (await served()).providers.update(principal, id, request);
  },
  remote: (server, id, patch) => server.send("PATCH", path(`${PROVIDERS}/`, id), patch),
});

export const deleteProvider = operation<[id: string], AuthProvider>({
  direct: async ({ served, principal }, id) => (await served()).providers.delete(principal, id),
  remote: (server, id) => server.send("DELETE", path(`${PROVIDERS}/`, id)),
});

export const providerSetup = operation<[id: string], ProviderSetup>({
  direct: async ({ served, principal }, id) => {
    const { providers, tools } = await served();
    return providers.setup(principal, id, (served) => tools.scopesOf(principal, served));
  },
  remote: (server, id) => server.get(path("/v1/admin/provider_setup/", id)),
});
