// `runtime api` on the data folder, without a server and without a key, as every other command.
import { describe, expect, test } from "bun:test";
import { createApp } from "../../../server/app";
import { at } from "../../support/api";
import { startSite } from "../../support/site";
import { jsonOf, newTerminal } from "../support/fake-io";

describe("on the data folder", () => {
  test("answers every kind of operation without a key", async () => {
    const { run } = newTerminal();
    const listed = await run(["api", "GET", "/v1/tools?limit=1"]);
    const secret = await run(["api", "PUT", "/v1/admin/secrets/K", "--input", "-"], {
      stdin: '{"value":"secret-value"}',
    });
    const caller = await run(["api", "GET", "/v1/caller"]);
    const secrets = await run(["secrets", "list", "-o", "name"]);

    expect([listed.code, listed.stderr]).toEqual([0, ""]);
    expect(at(jsonOf(listed), "items")).toHaveLength(1);
    expect([secret.code, secret.stderr]).toEqual([0, ""]);
    expect(jsonOf(caller)).toMatchObject({ kind: "operator", project_id: "default" });
    expect(secrets.stdout).toBe("K\n");
  });

  test("writes no line of the access log", async () => {
    const { run } = newTerminal({ RUNTIME_LOG_ACCESS: "true", RUNTIME_LOG_LEVEL: "info" });

    expect((await run(["api", "GET", "/v1/caller"])).stderr).toBe("");
  });

  test("works in the project of the command, and in no other", async () => {
    const { run } = newTerminal();
    await run(["projects", "create", "sales"]);
    const sales = await run(["api", "GET", "/v1/caller", "--project", "sales"]);
    const foreign = await run(["api", "GET", "/v1/orgs/default/projects/sales/tools"]);

    expect(jsonOf(sales)).toMatchObject({ project_id: "sales" });
    expect(foreign.code).toBe(3);
  });

  test("reports errors as a server does, with their exit codes", async () => {
    const { run } = newTerminal();
    const missing = await run(["api", "GET", "/v1/nowhere"]);
    const refused = await run(["api", "GET", "/v1/tools?limt=1"]);

    expect([missing.code, missing.stderr]).toEqual([3, "error: the server answered 404\n"]);
    expect([refused.code, at(jsonOf(refused), "message")]).toEqual([
      1,
      "failed to validate query: limt is not a known field; did you mean limit?",
    ]);
  });

  test("with a key it needs a running server", async () => {
    const { run } = newTerminal();
    const ran = await run(["api", "GET", "/v1/tools"], { env: { RUNTIME_API_KEY: "rt_x" } });

    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toContain("Leave out the key");
  });
});

test("a server answers no request without a credential as the operator", async () => {
  await using site = await startSite();
  const app = createApp(site.runtime, new AbortController().signal);

  expect((await app.fetch(new Request("http://localhost/v1/tools"))).status).toBe(401);
  expect((await fetch(`${site.url}/v1/admin/secrets`)).status).toBe(401);
});
