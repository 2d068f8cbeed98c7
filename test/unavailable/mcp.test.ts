// The database goes away in the middle of an MCP message: the answer is 503, never an error that a client would believe, such
// as an unknown session.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { client, type McpAnswer, type McpSite, startMcpSite } from "../mcp/site";
import { at } from "../support/api";
import { Failing } from "../support/failing-store";
import { FAILURES, sweep } from "./sweep";

describe.each(FAILURES)("the database fails %s:", (_name, once) => {
  const failing = new Failing();
  let site: McpSite;
  let sender: ReturnType<typeof client>;
  beforeAll(async () => {
    site = await startMcpSite({ parts: { openStore: failing.openStore } });
    await site.deployment.addProvider();
    await site.deployment.give("alice");
    sender = client(await site.gateway("every-tool"), { key: await site.key(), user: "alice" });
  });
  afterAll(() => site[Symbol.asyncDispose]());

  const initialize = (): Promise<McpAnswer> =>
    sender.legacy("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    });
  /** The first message of a session: the server must find out what its id says. */
  const inSession = async (method: string, params?: object): Promise<() => Promise<McpAnswer>> => {
    const session = (await initialize()).headers.get("mcp-session-id") ?? "";
    return () => sender.legacy(method, params, { "mcp-session-id": session });
  };
  const call = { name: "Test_Call", arguments: {} };

  const messages: [name: string, prepare: () => Promise<() => Promise<McpAnswer>>][] = [
    ["initialize", async () => initialize],
    ["a list in a session", () => inSession("tools/list")],
    ["a call in a session", () => inSession("tools/call", call)],
    ["a ping in a session", () => inSession("ping")],
    ["server/discover", async () => () => sender.modern("server/discover")],
    ["a list", async () => () => sender.modern("tools/list")],
    ["a call", async () => () => sender.modern("tools/call", call)],
  ];

  test.each(messages)("%s", async (_message, prepare) => {
    const outcomes = new Set<string>();
    await sweep(failing, once, [200], async () => {
      const send = await prepare();
      return async () => {
        const answer = await send();
        const [message] = answer.messages;
        outcomes.add(at(message, "result") === undefined ? String(answer.status) : "result");
        return answer;
      };
    });

    // A result, or 503: no other JSON-RPC error.
    expect([...outcomes].toSorted()).toEqual(["503", "result"]);
  });
});
