// Loaders of agent frameworks, as published: each lists the tools of a gateway and calls two, with nothing but a key that is
// pinned to one user.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type GatewaySite, startGatewaySite } from "../interop/mcp/gateway";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { FOLDER, judge, run } from "./packages";

let made: GatewaySite;
let address: string;
let key: string;
beforeAll(async () => {
  judge();
  made = await startGatewaySite();
  await made.site.addChatProvider();
  address = await made.gateway("team", {
    tool_filter: { allowed_tools: ["Chat.WhoAmI", "Chat.SendMessage"] },
  });
  key = await made.site.key("run", ["alice"]);
  for (const tool_name of ["Chat.WhoAmI", "Chat.SendMessage"]) {
    const { body } = await api(made.site.url, made.key).post("/v1/tools/authorize", {
      tool_name,
      user_id: "alice",
    });
    if (at(body, "status") !== "completed") await new Browser().consent(String(at(body, "url")), "alice");
  }
}, 300_000);
afterAll(() => made[Symbol.asyncDispose]());

test.each(["ai", "langchain", "openai-agents", "mastra", "llamaindex"])(
  "%s lists the tools of a gateway and calls them",
  async (name) => {
    const { code, stdout, stderr } = await run([
      "node",
      join(FOLDER, "frameworks", `${name}.mjs`),
      address,
      key,
    ]);
    expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
    const printed: unknown = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    const names = (at(printed, "names") as string[]).map((one) => one.replace(/^mcp__?/, ""));
    expect(names.toSorted()).toEqual(["Chat_SendMessage", "Chat_WhoAmI"]);
    expect(JSON.stringify(at(printed, "results.0"))).toContain("alice");
    const { chat } = made.site;
    const texts = (await chat.messages(chat.channels.general.id)).map(({ text }) => text);
    expect(texts.filter((text) => text === name)).toEqual([name]);
  },
  120_000,
);
