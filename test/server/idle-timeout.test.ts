// http.idle_timeout: an idle connection is closed, and one with a running call is not.
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { Type } from "typebox";
import type { Catalog } from "../../src/tools";
import { defineTool } from "../../src/tools";
import { post } from "../mcp/site";
import { api, at } from "../support/api";
import { startOwn } from "./own";

const behavior = { read_only: true, destructive: false, idempotent: true, open_world: false };

test("closes an idle connection, and none in which a call runs", async () => {
  const idleIsClosed = Promise.withResolvers<void>();
  const catalog: Catalog = {
    toolkit: { name: "TestKit", description: "Tools of a test.", version: "1.0.0" },
    bases: {},
    tools: [
      defineTool({
        name: "Wait",
        description: "Waits.",
        input: Type.Object({}),
        output: Type.Unknown(),
        metadata: { behavior: { ...behavior, operations: ["read"] } },
        run: async () => {
          await idleIsClosed.promise;
          return "done";
        },
      }),
    ],
  };
  await using own = await startOwn([catalog], { RUNTIME_HTTP_IDLE_TIMEOUT: "5" });
  const key = await own.key("admin");
  const client = api(own.url, key);
  await client.post("/v1/orgs/default/projects/default/gateways", {
    name: "g",
    slug: "gate",
    auth_type: "arcade_header",
    status: "active",
    tool_filter: { allowed_tools: ["TestKit.Wait"] },
  });
  const call = client.post("/v1/tools/execute", { tool_name: "TestKit.Wait", user_id: "alice", input: {} });
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "TestKit_Wait", arguments: {} },
  };
  const atGateway = post(`${own.url}/mcp/gate`, message, { key, user: "alice" });

  const socket = connect({ host: "127.0.0.1", port: Number(new URL(own.url).port) });
  socket.once("close", () => idleIsClosed.resolve()).resume();
  socket.on("error", () => undefined);
  socket.write("GET /v1/health HTTP/1.1\r\nhost: here\r\n\r\n");
  await idleIsClosed.promise;

  expect(at((await call).body, "output.value")).toBe("done");
  expect(JSON.stringify(await atGateway)).toContain("done");
}, 60_000);
