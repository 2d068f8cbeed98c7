// Auth providers, on the data folder and over HTTP.
import type { Page } from "../../src/base";
import type { AuthProvider, ProviderSetup } from "../../src/providers";
import { capability } from "./client";
import { path } from "./http";

type Body = { readonly [key: string]: unknown };

const PROVIDERS = "/v1/admin/auth_providers";

export const listProviders = capability<[], Page<AuthProvider>>({
  direct: async ({ runtime, principal, server }) => {
    await server();
    return runtime.providers.list(principal);
  },
  remote: (server) => server.get(PROVIDERS),
});

export const getProvider = capability<[id: string], AuthProvider>({
  direct: async ({ runtime, principal, server }, id) => {
    await server();
    return runtime.providers.get(principal, id);
  },
  remote: (server, id) => server.get(path(`${PROVIDERS}/`, id)),
});

export const createProvider = capability<[body: Body], AuthProvider>({
  direct: async ({ runtime, principal, server, checked }, body) => {
    const { AuthProviderCreateRequest } = await import("../../src/providers/schema");
    const request = checked(AuthProviderCreateRequest, body);
    await server();
    return runtime.providers.create(principal, request);
  },
  remote: (server, body) => server.send("POST", PROVIDERS, body),
});

export const updateProvider = capability<[id: string, patch: Body], AuthProvider>({
  direct: async ({ runtime, principal, server, checked }, id, patch) => {
    const { AuthProviderPatchRequest } = await import("../../src/providers/schema");
    const request = checked(AuthProviderPatchRequest, patch);
    await server();
    return runtime.providers.update(principal, id, request);
  },
  remote: (server, id, patch) => server.send("PATCH", path(`${PROVIDERS}/`, id), patch),
});

export const deleteProvider = capability<[id: string], AuthProvider>({
  direct: async ({ runtime, principal, server }, id) => {
    await server();
    return runtime.providers.delete(principal, id);
  },
  remote: (server, id) => server.send("DELETE", path(`${PROVIDERS}/`, id)),
});

export const providerSetup = capability<[id: string], ProviderSetup>({
  direct: async ({ runtime, principal, server }, id) => {
    await server();
    return runtime.providers.setup(principal, id, runtime.tools.scopesOf(id));
  },
  remote: (server, id) => server.get(path("/v1/admin/provider_setup/", id)),
});
