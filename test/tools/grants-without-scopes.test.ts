// Tools of workers that need a user's grant, whatever its scopes: many platforms have none.
import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { type Catalog, defineTool } from "../../src/tools";
import { agent, deploy, type Deployment } from "./deployment";

const catalog: Catalog = {
  toolkit: { name: "Foreign", description: "Tools of a worker.", version: "1.0.0" },
  bases: {},
  tools: [
    defineTool({
      name: "WhoAmI",
      description: "Needs the user's token.",
      input: Type.Object({}),
      output: Type.Unknown(),
      foreign: true,
      authorization: { provider: "idp", scopes: [] },
      metadata: {
        behavior: {
          operations: [],
          read_only: false,
          destructive: true,
          idempotent: false,
          open_world: true,
        },
      },
      run: async (_input, { grant }) => ({ connection: grant?.connectionId ?? null }),
    }),
  ],
};

const request = { tool_name: "Foreign.WhoAmI", user_id: "alice" };

async function withProvider(): Promise<Deployment> {
  const deployment = await deploy({ catalogs: [catalog] });
  await deployment.addProvider();
  return deployment;
}

describe("a tool of a worker without scopes", () => {
  test("does not run before the user has consented", async () => {
    await using deployment = await withProvider();
    const { tools } = deployment.runtime;

    const failed: unknown = await tools.execute(agent(), request).catch((error: unknown) => error);
    const report = await tools.requirements(agent(), { tool_names: ["Foreign.WhoAmI"], user_id: "alice" });

    expect(String(failed)).toContain("authorization required");
    expect(report.authorization.items["idp"]).toMatchObject({ met: false, token_status: "not_started" });
  });

  test("starts a consent", async () => {
    await using deployment = await withProvider();
    const started = await deployment.runtime.tools.authorize(agent(), request);
    expect(started.status).toBe("pending");
    expect(started.url).toStartWith("http");
  });

  test("runs with a grant of any scopes, and of that user", async () => {
    await using deployment = await withProvider();
    const connection = await deployment.give("alice", { scopes: [] });

    const { output } = await deployment.runtime.tools.execute(agent(), request);
    const other: unknown = await deployment.runtime.tools
      .execute(agent(), { ...request, user_id: "bob" })
      .catch((error: unknown) => error);

    expect(output?.value).toEqual({ connection });
    expect(String(other)).toContain("authorization required");
  });

  test("does not run when the grant is dead", async () => {
    await using deployment = await withProvider();
    const connectionId = await deployment.give("alice", { scopes: [] });
    await deployment.runtime.connections.markDead("default", { connectionId, version: 1 }, "refused");

    const failed: unknown = await deployment.runtime.tools
      .execute(agent(), request)
      .catch((error: unknown) => error);
    const started = await deployment.runtime.tools.authorize(agent(), request);

    expect(String(failed)).toContain("authorization required");
    expect(started.status).toBe("pending");
  });
});
