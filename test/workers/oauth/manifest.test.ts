// Workers that want tokens in the document of a project: what the server has found out or registered is not part of it.
import { expect, test } from "bun:test";
import { at } from "../../support/api";
import type { Manifest } from "../../../src/manifest";
import { OAuthSite } from "./site";

async function documentOf(made: OAuthSite): Promise<Manifest> {
  const { body } = await made.admin.get("/v1/admin/manifest");
  return body as Manifest;
}

test("an export has the settings of the administrator, and is applied without a change", async () => {
  await using made = await OAuthSite.start();
  const first = await made.create(null);
  made.strict.addClient("console", "console-secret-CANARY", String(at(first.body, "mcp.redirect_uri")));
  const oauth2 = { client_id: "console", client_secret: "console-secret-CANARY" };
  await made.admin.patch("/v1/workers/echo", { mcp: { oauth2 } });
  const document = await documentOf(made);

  expect(document.providers).toEqual([]);
  expect(document.workers?.[0]?.mcp?.oauth2).toEqual({
    client_id: "console",
    client_secret_from: { env: "ECHO_CLIENT_SECRET" },
  });
  const applied = await made.admin.post("/v1/admin/manifest", document);
  expect(at(applied.body, "changes.0")).toMatchObject({ kind: "session_verification" });
  expect(at(applied.body, "changes.1")).toEqual({ kind: "worker", name: "echo", action: "unchanged" });
});

test("the same secret changes nothing, another one is named", async () => {
  await using made = await OAuthSite.start();
  const first = await made.create(null);
  made.strict.addClient("console", "console-secret-CANARY", String(at(first.body, "mcp.redirect_uri")));
  const worker = (client_secret: string) => ({
    id: "echo",
    mcp: {
      uri: made.strict.at.uri,
      timeout: 10,
      retry: 0,
      oauth2: { client_id: "console", client_secret },
    },
  });
  const apply = async (secret: string) => {
    const { body } = await made.admin.post("/v1/admin/manifest", { workers: [worker(secret)] });
    return at(body, "changes.0");
  };

  expect(await apply("console-secret-CANARY")).toMatchObject({ action: "update" });
  expect(await apply("console-secret-CANARY")).toMatchObject({ action: "unchanged" });
  expect(await apply("another-CANARY")).toEqual({
    kind: "worker",
    name: "echo",
    action: "update",
    fields: ["mcp.oauth2.client_secret"],
    differences: [{ field: "mcp.oauth2.client_secret" }],
  });
});

test("a registered client is not part of it, and stays when it is applied", async () => {
  await using made = await OAuthSite.start();
  await made.ready();
  const before = await made.admin.get("/v1/workers/echo");
  const document = await documentOf(made);
  expect(document.workers?.[0]?.mcp?.oauth2?.client_id).toBeUndefined();
  await made.admin.post("/v1/admin/manifest?prune=true", document);

  const after = await made.admin.get("/v1/workers/echo");
  expect(at(after.body, "mcp.oauth2")).toEqual(at(before.body, "mcp.oauth2"));
  expect(made.strict.registrations).toHaveLength(1);
});
