// API keys of the project, on the data folder and over HTTP.
import type { Page } from "../../src/base";
import type { ApiKey, RotatedApiKey } from "../../src/identity";
import type { DataKeyRotation } from "../../src/rotation";
import { operation } from "./client";
import { path } from "./http";

const KEYS = "/v1/admin/keys";

export const listKeys = operation<[], Page<ApiKey>>({
  direct: ({ runtime, principal }) => runtime.identity.listKeys(principal),
  remote: (server) => server.get(KEYS),
});

export const getKey = operation<[id: string], ApiKey>({
  direct: ({ runtime, principal }, id) => runtime.identity.getKey(principal, id),
  remote: (server, id) => server.get(path(`${KEYS}/`, id)),
});

export const createKey = operation<[request: object], ApiKey>({
  direct: async ({ runtime, principal, checked }, request) => {
    const { ApiKeyCreateRequest } = await import("../../src/identity/schema");
    return runtime.identity.createKey(principal, checked(ApiKeyCreateRequest, request));
  },
  remote: (server, request) => server.send("POST", KEYS, request),
});

export const deleteKey = operation<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.identity.deleteKey(principal, id),
  remote: (server, id) => server.send("DELETE", path(`${KEYS}/`, id)),
});

export const rotateKey = operation<[id: string, request: object], RotatedApiKey>({
  direct: async ({ runtime, principal, checked }, id, request) => {
    const { ApiKeyRotationRequest } = await import("../../src/identity/schema");
    return runtime.identity.apiKeys.rotate(principal, id, checked(ApiKeyRotationRequest, request));
  },
  remote: (server, id, request) => server.send("POST", `${path(`${KEYS}/`, id)}/rotate`, request),
});

export const rotateDataKey = operation<[], DataKeyRotation>({
  direct: ({ runtime, principal }) => runtime.rotation.rotateDataKey(principal),
  remote: (server) => server.send("POST", "/v1/admin/data_key/rotate"),
});
