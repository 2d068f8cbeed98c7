// A dry run says what a run would do. Nothing leaves the server, and nothing is stored.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { api, at, call } from "../support/api";
import type { Site } from "../support/site";
import { type GuardedSite, startGuardedSite } from "../hooks/guarded-site";
import type { WebhookPeer } from "../hooks/webhook-peer";

let guarded: GuardedSite;
let site: Site;
let peer: WebhookPeer;
let key: string;
beforeAll(async () => {
  guarded = await startGuardedSite();
  ({ site, peer, key } = guarded);
});
afterAll(() => guarded[Symbol.asyncDispose]());
beforeEach(() => guarded.reset());

const execute = (body: object, headers: Record<string, string> = {}) =>
  call(site.url, { method: "POST", path: "/v1/tools/execute", key, body, headers });
const dry = (body: object, headers?: Record<string, string>) =>
  execute({ user_id: "alice", dry_run: true, ...body }, headers);
const executions = async () => {
  const admin = await site.key("admin");
  return at((await api(site.url, admin).get("/v1/admin/executions?limit=100")).body, "total_count");
};

describe("a call that would run", () => {
  test("is described, and neither the platform nor a hook is asked, and no execution is logged", async () => {
    const before = await executions();
    const { status, body } = await dry({
      tool_name: "Chat.SendMessage",
      input: { channel_name: "general", message: "Hello" },
    });

    expect([status, at(body, "success"), at(body, "status")]).toEqual([200, true, "completed"]);
    const report = at(body, "output.value");
    expect(at(report, "would_run")).toBe(true);
    expect(at(report, "tool")).toMatch(/^Chat\.SendMessage@/);
    expect(at(report, "input")).toMatchObject({ channel_name: "general", message: "Hello" });
    expect(at(report, "requirements.met")).toBe(true);
    expect(at(report, "repeats")).toBe("never_after_effect");
    const points = at(report, "hooks") as { hook_point: string; failure_mode: string }[];
    expect(points.map(({ hook_point }) => hook_point)).toEqual(["tool.access", "tool.pre", "tool.post"]);
    expect(site.chat.requests).toEqual([]);
    expect(peer.asked).toEqual([]);
    expect(await executions()).toEqual(before);
  });

  test("shows the input after conversion", async () => {
    const { body } = await dry({ tool_name: "Chat.ListConversations", input: { limit: "5" } });

    expect(at(body, "output.value.input.limit")).toBe(5);
    expect(at(body, "output.value.repeats")).toBe("safe");
  });

  test("is not scheduled, and its Idempotency-Key stays free", async () => {
    const input = { channel_name: "general", message: "Later" };
    const request = { tool_name: "Chat.SendMessage", input, run_at: "2099-01-31T09:30:00Z" };
    const first = await dry(request, { "idempotency-key": "dry-1" });
    const { body } = await api(site.url, key).get("/v1/scheduled_tools?limit=10");

    expect(at(first.body, "output.value.run_at")).toBe("2099-01-31T09:30:00Z");
    expect(at(body, "total_count")).toBe(0);
    const again = { tool_name: "Chat.SendMessage", user_id: "alice", input };
    const real = await execute(again, { "idempotency-key": "dry-1" });
    expect(at(real.body, "success")).toBe(true);
    expect(site.chat.calls("chat.postMessage")).toBe(1);
  });
});

describe("a call that would not run", () => {
  test("says what is wrong with the input", async () => {
    const { status, body } = await dry({ tool_name: "Chat.SendMessage", input: { chanel: "general" } });

    expect([status, at(body, "success")]).toEqual([200, false]);
    expect(at(body, "output.error.kind")).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(at(body, "output.value.would_run")).toBe(false);
  });

  test("says that the user must consent, and starts no consent", async () => {
    const { body } = await dry({
      tool_name: "Chat.SendMessage",
      user_id: "bob",
      input: { channel_name: "general", message: "Hello" },
    });

    expect(at(body, "success")).toBe(false);
    expect(at(body, "output.value.requirements")).toMatchObject({
      met: false,
      authorization: { token_status: "not_started" },
    });
  });

  test("is hidden from a user whom access hooks hide the tool from", async () => {
    const user = { kind: "user", projectId: "default", userId: "alice" } as const;
    peer.respond = () => ({ deny: { Chat: { tools: { SendMessage: [] } } } });
    const run = site.runtime.tools.execute(user, { tool_name: "Chat.SendMessage", dry_run: true });

    await expect(run).rejects.toMatchObject({ name: "tool_not_found" });
  });

  test("is an error for an unknown tool", async () => {
    expect((await dry({ tool_name: "Chat.Missing" })).status).toBe(400);
  });
});
