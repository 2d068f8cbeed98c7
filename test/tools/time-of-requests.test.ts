// The time of one request of a tool: as long as the operator's setting says, whatever the run has left.
import { expect, test } from "bun:test";
import { agent, deploy } from "./deployment";

/** A platform that answers only later requests. */
function slowAtFirst(hanging: number) {
  let requests = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    idleTimeout: 120,
    fetch: async () => {
      if (++requests <= hanging) await Bun.sleep(20_000);
      return Response.json({ ok: true });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/api/`,
    get requests() {
      return requests;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

test.each([
  ["the setting", {}, "me"],
  ["the tool, if that is less", { timeoutMs: 100 }, "me"],
  ["the setting, if the tool asks for more", { timeoutMs: 15_000 }, "me"],
])("a request ends after the time of %s", async (_, request, path) => {
  await using platform = slowAtFirst(1);
  await using deployment = await deploy({
    environment: {
      RUNTIME_CHAT_API_URL: platform.url,
      RUNTIME_EGRESS_TIMEOUT: "1",
      RUNTIME_TOOLS_TIMEOUT: "10",
    },
  });
  await deployment.addProvider();
  await deployment.give("alice");
  const reasons: unknown[] = [];
  deployment.test.act = async (_input, context) => {
    await context
      .fetch("api", path, request)
      .catch((error: { reason: unknown }) => reasons.push(error.reason));
    // There is time for another try.
    return { status: (await context.fetch("api", path)).status };
  };
  const { success, output } = await deployment.runtime.tools.execute(agent(), {
    tool_name: "Test.ActFor",
    user_id: "alice",
    input: {},
  });
  expect(reasons).toEqual(["timeout"]);
  expect([success, output?.value]).toEqual([true, { status: 200 }]);
  expect(platform.requests).toBe(2);
});
