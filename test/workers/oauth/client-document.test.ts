// Our client metadata document: an authorization server reads it at the address that is our client id.
import { expect, test } from "bun:test";
import { startSite } from "../../support/site";
import { api } from "../../support/api";
import { StrictServer } from "./strict-server";

const PUBLIC = "https://runtime.example";

test("a project's document is at its client id, with the redirect addresses of the workers that use it", async () => {
  using strict = new StrictServer({ metadata: { client_id_metadata_document_supported: true } });
  await using site = await startSite({ environment: { RUNTIME_PUBLIC_URL: PUBLIC } });
  const admin = api(site.url, await site.key("admin"));
  expect((await fetch(`${site.url}/.well-known/oauth-client/default`)).status).toBe(404);
  const mcp = { uri: strict.at.uri, timeout: 10, retry: 0, oauth2: {} };
  await admin.post("/v1/workers", { id: "w", mcp });
  const provider = await site.runtime.providers.find("default", "worker-w");
  const response = await fetch(`${site.url}/.well-known/oauth-client/default`);

  expect(provider?.oauth2.clientId).toBe(`${PUBLIC}/.well-known/oauth-client/default`);
  expect(response.headers.get("content-type")).toStartWith("application/json");
  expect(await response.json()).toEqual({
    client_id: `${PUBLIC}/.well-known/oauth-client/default`,
    client_name: "runtime (runtime.example)",
    client_uri: PUBLIC,
    redirect_uris: [provider?.redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  });
  expect((await fetch(`${site.url}/.well-known/oauth-client/other`)).status).toBe(404);
  await admin.delete("/v1/workers/w");
  expect((await fetch(`${site.url}/.well-known/oauth-client/default`)).status).toBe(404);
});

test("there is none where this server is not reached over https", async () => {
  using strict = new StrictServer({ metadata: { client_id_metadata_document_supported: true } });
  await using site = await startSite();
  const admin = api(site.url, await site.key("admin"));
  await admin.post("/v1/workers", {
    id: "w",
    mcp: { uri: strict.at.uri, timeout: 10, retry: 0, oauth2: {} },
  });

  expect((await fetch(`${site.url}/.well-known/oauth-client/default`)).status).toBe(404);
  expect(await site.runtime.providers.find("default", "worker-w")).toBeUndefined();
});
