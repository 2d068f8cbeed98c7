// A preset is one new file and one line in the list: added in a copy of the sources, then used for a consent.
import { expect, test } from "bun:test";
import { appendFileSync, cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageFile from "../../package.json";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { Installation } from "../support/runtime-process";
import { temporaryFolder } from "../support/temporary";
import { startTokenEndpoint } from "../support/token-endpoint";

const ROOT = join(import.meta.dir, "..", "..");

/** A copy of the sources, without tests. Its package file has no scripts: one of them is named like `bun check`. */
function copySources(): string {
  const copy = temporaryFolder();
  for (const part of ["src", "catalogs", "server", "cli", "tsconfig.json"])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  writeFileSync(join(copy, "package.json"), JSON.stringify({ ...packageFile, scripts: {} }));
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function presetFile(address: string): string {
  return `import type { ProviderPreset } from "../../src/providers";

export const acmePreset: ProviderPreset = {
  id: "acme",
  description: "Acme",
  oauth2: {
    scope_delimiter: ";",
    pkce: { enabled: true, code_challenge_method: "S256" },
    authorize_request: {
      endpoint: "${address}/authorize",
      params: {
        client_id: "{{client_id}}",
        redirect_uri: "{{redirect_uri}}",
        response_type: "code",
        acme_scope: "{{scopes}}",
      },
    },
    token_request: {
      endpoint: "${address}/token",
      auth_method: "client_secret_post",
      response_map: { access_token: "$.acme.token", expires_in: "$.acme.seconds" },
    },
  },
};
`;
}

test("a preset added by one file and one line passes the type check and is used for a consent", async () => {
  await using idp = startTokenEndpoint();
  const copy = copySources();
  writeFileSync(join(copy, "catalogs/presets/acme.ts"), presetFile(idp.url));
  appendFileSync(join(copy, "catalogs/presets/list.ts"), 'export { acmePreset } from "./acme";\n');
  const types = Bun.spawnSync([process.execPath, "check"], { cwd: copy, stderr: "pipe" });
  expect([types.exitCode, types.stderr.toString()]).toEqual([0, expect.stringContaining("No type errors")]);

  await using installation = new Installation(undefined, [process.execPath, join(copy, "cli/main.ts")]);
  await installation.json(
    ["providers", "create", "acme", "--provider", "acme", "--client-id", "c", "--client-secret-stdin"],
    "the secret",
  );
  const key = await installation.key("admin");
  await using server = await installation.serve();
  const client = api(server.address, key);
  const started = await client.post("/v1/auth/authorize", {
    auth_requirement: { id: "acme", oauth2: { scopes: ["read", "write"] } },
    user_id: "alice",
  });
  expect([started.status, at(started.body, "status")]).toEqual([200, "pending"]);

  const browser = new Browser();
  const redirect = await browser.open(String(at(started.body, "url")));
  const authorize = new URL(redirect.headers.get("location") ?? "");
  const { redirect_uri = "", state = "", ...sent } = Object.fromEntries(authorize.searchParams);
  expect(authorize.origin + authorize.pathname).toBe(`${idp.url}/authorize`);
  expect(sent).toEqual({
    client_id: "c",
    response_type: "code",
    acme_scope: "read;write",
    code_challenge: expect.any(String),
    code_challenge_method: "S256",
  });

  idp.queue({ body: { acme: { token: "granted", seconds: 3600 } } });
  const page = await browser.open(`${redirect_uri}?${new URLSearchParams({ code: "the code", state })}`);
  await browser.answer(page, server.address, "yes");
  const done = await client.get(`/v1/auth/status?id=${String(at(started.body, "id"))}`);
  expect(at(done.body, "status")).toBe("completed");
  expect(idp.requests.map(({ address, params }) => [address, params])).toEqual([
    ["/token", expect.objectContaining({ code: "the code", client_id: "c", client_secret: "the secret" })],
  ]);
  const connections = await client.get("/v1/admin/user_connections?user_id=alice");
  expect(at(connections.body, "items.0.provider_id")).toBe("acme");
}, 60_000);
