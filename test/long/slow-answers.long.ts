// Answers that take longer than any idle timeout, in real time: a tool of 95 seconds, a model of 40.
import { expect, test } from "bun:test";
import { Type } from "typebox";
import { defineTool, type Catalog } from "../../src/tools";
import { completion, startModelServer } from "../sandbox/models/chat-server";
import { startOwn } from "../server/own";
import { api, at } from "../support/api";

const TOOL_MS = 95_000;
const MODEL_MS = 40_000;

const slow: Catalog = {
  toolkit: { name: "Slow", description: "Takes its time.", version: "1.0.0" },
  bases: {},
  tools: [
    defineTool({
      name: "Wait",
      description: "Waits.",
      input: Type.Object({}),
      output: Type.Unknown(),
      metadata: {
        behavior: {
          operations: ["read"],
          read_only: true,
          destructive: false,
          idempotent: true,
          open_world: false,
        },
      },
      run: async (_input, { sleep }) => {
        await sleep(TOOL_MS);
        return "waited";
      },
    }),
  ],
};

test("a tool of 95 s and a model of 40 s answer at the same time [fault: silent-request]", async () => {
  await using upstream = await startModelServer(async (_request, reply) => {
    await Bun.sleep(MODEL_MS);
    reply.json(200, completion({ content: "At last." }));
  });
  const entry = { id: "local", models: ["m"], openai: { base_url: upstream.url } };
  await using own = await startOwn([slow], {
    RUNTIME_TOOLS_TIMEOUT: "120",
    RUNTIME_EGRESS_ALLOW: "loopback",
    RUNTIME_MODELS: JSON.stringify([entry]),
  });
  const agent = api(own.url, await own.key("run"));

  const chat = agent.post("/v1/chat/completions", {
    model: "m",
    messages: [{ role: "user", content: "Hi." }],
  });
  const run = agent.post("/v1/tools/execute", { tool_name: "Slow.Wait", user_id: "alice" });

  expect(at((await chat).body, "choices.0.message.content")).toBe("At last.");
  expect(at((await run).body, "output.value")).toBe("waited");
}, 120_000);
