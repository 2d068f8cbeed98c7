// The recorded requests of coding agents, sent again: each gets its session, its tools, a result of a worker, and the address
// of a missing consent in a form that it passes on. `test/interop/agents` runs the agents themselves.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject } from "../../src/base";
import { handshake, recordedAgents } from "../interop/agents/handshakes";
import { type Recorded, SESSION } from "../interop/agents/recorder";
import { type Stage, startStage } from "../server/stage";
import { at } from "../support/api";
import { MODERN, TEXT, Upstream } from "../support/mcp-upstream";
import { mcpWorker } from "../workers/site";

const upstream = new Upstream({
  family: "modern",
  methods: {
    "tools/list": () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
    "tools/call": ({ params }) => TEXT(`Echo: ${String(at(params, "arguments.message"))}`),
  },
});
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
  const { runtime } = stage.site;
  const operator = await runtime.identity.operator("default");
  await runtime.workers.create(operator, mcpWorker("everything", upstream.url));
  await runtime.gateways.create(operator, {
    name: "Gateway team",
    slug: "team",
    auth_type: "arcade_header",
    tool_filter: { allowed_tools: ["Everything.echo", "Chat.WhoAmI"] },
  });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** Sends what was recorded, in the session that the server has begun. */
async function send({ method, headers, body }: Recorded, session: string): Promise<Response> {
  const sent = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    value === SESSION ? session : value,
  ]);
  return fetch(`${stage.site.url}/mcp/team`, {
    method,
    headers: [...sent, ["authorization", `Bearer ${stage.keys.run}`]],
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The answers to the requests, by method and tool. */
async function replayed(agent: string) {
  const answers: Record<string, unknown> = {};
  let session = "";
  for (const each of handshake(agent)) {
    const response = await send(each, session);
    const { body } = each;
    const kind = [at(body, "method") ?? each.method, at(body, "params.name") ?? ""].join(" ").trim();
    expect([kind, response.status]).toEqual([kind, each.status]);
    session = response.headers.get("mcp-session-id") ?? session;
    // A stream of news has no end.
    if (each.method === "GET") await response.body?.cancel();
    else answers[kind] = messageOf(await response.text());
  }
  return answers;
}

function messageOf(text: string): unknown {
  const [, data = text] = /^data: (.+)$/m.exec(text) ?? [];
  return data === "" ? undefined : JSON.parse(data);
}

describe.each(recordedAgents())("%s", (agent) => {
  test("gets a session, its tools, a result and the address of a consent", async () => {
    const answers = await replayed(agent);
    const asked = handshake(agent)[0]?.body;
    const revision = at(asked, "params.protocolVersion");
    expect(revision).not.toBe(MODERN);
    expect(at(answers["initialize"], "result.protocolVersion")).toBe(revision as string);
    const tools = at(answers["tools/list"], "result.tools");
    const names = Array.isArray(tools) ? tools.filter(isObject).map(({ name }) => name) : [];
    expect(names).toEqual(["Chat_WhoAmI", "Everything_echo"]);
    expect(at(answers["tools/call Everything_echo"], "result.content.0.text")).toBe(
      "Echo: hello from the agent",
    );
    const refused = answers["tools/call Chat_WhoAmI"];
    expect(at(refused, "result.isError")).toBe(true);
    expect(at(refused, "result.content.0.text")).toMatch(/http:\/\/127\.0\.0\.1:\d+\/authorize\/[\w-]{43}/);
  });
});

test("a client that takes JSON for structured content gets the address as a sentence", async () => {
  const { "tools/call Chat_WhoAmI": refused } = await replayed("gemini");
  expect(() => JSON.parse(String(at(refused, "result.content.0.text"))) as unknown).toThrow();
});
