// Hooks on a gateway: hidden tools, denied calls, changed inputs and outputs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { hooked, type Hooked } from "../hooks/hooked";
import type { Asked } from "../hooks/webhook-peer";
import { operator } from "../tools/deployment";
import { client, valueAt } from "./site";

let hooks: Hooked;
let url: string;
let key: string;
beforeAll(async () => {
  hooks = await hooked();
  const { runtime } = hooks.deployment;
  await runtime.gateways.create(operator(), { name: "Guarded", slug: "guarded", auth_type: "arcade_header" });
  key = (await runtime.identity.createKey(operator(), { name: "run", role: "run" })).key ?? "";
  url = `${hooks.url}/mcp/guarded`;
  await hooks.plugin({ points: ["access", "pre", "post"] });
});
afterAll(() => hooks[Symbol.asyncDispose]());
beforeEach(() => {
  hooks.project.respond = () => ({ code: "OK" });
});

/** The webhook's answer at one path; at the others it returns OK. */
function at(path: string, answer: (asked: Asked) => unknown): void {
  hooks.project.respond = (asked, response) => {
    if (asked.path !== path) return asked.path === "access" ? {} : { code: "OK" };
    const value = answer(asked);
    if (value !== undefined) return value;
    response.statusCode = 503;
    response.end();
    return undefined;
  };
}

const families = ["legacy", "modern"] as const;
const user = (name: string) => client(url, { key, user: name });
const ECHO = { name: "Test_Echo", arguments: { text: "hi" } };
const ONLY_ACT = { only: { Test: { tools: { Act: [{}] } } } };

describe.each(families)("with a %s client", (family) => {
  const call = (name: string) => user(name)[family]("tools/call", ECHO);
  const listed = async (name: string) => {
    const tools = valueAt(await user(name)[family]("tools/list"), "result.tools") as { name: string }[];
    return tools.map((tool) => tool.name);
  };

  test("a tool that is hidden from a user cannot be listed or called by them, but by others", async () => {
    at("access", ({ body }) => (body["user_id"] === `hidden-${family}` ? ONLY_ACT : {}));
    expect(await listed(`hidden-${family}`)).toEqual(["Test_Act"]);
    expect(valueAt(await call(`hidden-${family}`), "error")).toEqual({
      code: -32602,
      message: "tool not found",
    });
    expect(await listed(`open-${family}`)).toContain("Test_Echo");
    expect(valueAt(await call(`open-${family}`), "result.structuredContent")).toEqual({ text: "hi" });
  });

  test("a hook that cannot be reached hides all tools, and a call is an internal error", async () => {
    at("access", () => undefined);
    expect(await listed(`unasked-${family}`)).toEqual([]);
    expect(valueAt(await call(`unasked-${family}`), "error.code")).toBe(-32603);
  });

  test("a denied call returns the reason to the model, and nothing runs", async () => {
    at("pre", () => ({ code: "CHECK_FAILED", error_message: "not on Sundays" }));
    const answer = await call("alice");
    expect(valueAt(answer, "result.isError")).toBe(true);
    expect(valueAt(answer, "result.content.0.text")).toContain(
      "Tool execution was denied by an extension policy: not on Sundays",
    );
  });

  test("the tool gets changed inputs, and the client gets changed outputs", async () => {
    at("pre", () => ({ code: "OK", override: { inputs: { text: "changed" } } }));
    expect(valueAt(await call("alice"), "result.structuredContent")).toEqual({ text: "changed" });
    at("post", () => ({ code: "OK", override: { output: { redacted: true } } }));
    expect(valueAt(await call("alice"), "result.structuredContent")).toEqual({ redacted: true });
  });
});
