// `runtime doctor --platform` at the terminal: consent, report, exit codes.
import { describe, expect, test } from "bun:test";
import { Redacted } from "../../src/base";
import { createRuntime } from "../../src/runtime";
import { extensions } from "../../catalogs";
import { touch } from "../../src/store";
import { jsonOf, newTerminal } from "../cli/support/fake-io";
import { type ChatSandbox, type ChatSandboxOptions, startChatSandbox } from "../sandbox/chat";
import { chatProvider } from "../sandbox/chat";
import { loadConfig } from "../support/config";
import { CHAT_SCOPES } from "./chat-scopes";

async function terminalWith(options: ChatSandboxOptions = {}) {
  const chat = await startChatSandbox(options);
  const terminal = newTerminal({ RUNTIME_EGRESS_ALLOW: "loopback", RUNTIME_CHAT_API_URL: chat.apiUrl });
  await terminal.run(["providers", "create", "--file", "-"], { stdin: JSON.stringify(chatProvider(chat)) });
  return {
    ...terminal,
    chat,
    doctor: (...words: string[]) => terminal.run(["doctor", "--platform", "slack", ...words]),
    give: (scopes = CHAT_SCOPES) => give(terminal.env, chat, scopes),
    [Symbol.asyncDispose]: () => chat.stop(),
  };
}

async function give(environment: Record<string, string>, chat: ChatSandbox, scopes: readonly string[]) {
  await using closing = new AsyncDisposableStack();
  const runtime = await createRuntime(loadConfig({ environment }), extensions);
  closing.defer(() => runtime.close());
  const provider = await runtime.providers.find("default", "slack");
  if (provider === undefined) throw new Error("no provider");
  const grant = {
    accessToken: new Redacted(chat.issueToken("alice", scopes).accessToken),
    refreshToken: undefined,
    expiresIn: undefined,
    scopes: [...scopes],
    facts: { team_id: chat.team.id, user_id: chat.people.alice.id },
  };
  await runtime.connections.store("default", "alice", provider, grant, [...scopes], function* () {
    yield* touch("connections");
  });
}

describe("runtime doctor --platform", () => {
  test("without a grant exits with the address of the consent", async () => {
    await using terminal = await terminalWith();
    const { code, stderr } = await terminal.doctor("--user", "alice");
    expect(code).toBe(6);
    expect(stderr).toContain("alice must consent before the self-check of slack can run");
    expect(stderr).toMatch(/http:\/\/\S+\/authorize\//);
  });

  test("prints what is not settled and a summary, and exits 0", async () => {
    await using terminal = await terminalWith();
    await terminal.give();
    const { code, stdout, stderr } = await terminal.doctor("--user", "alice");
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("0 different") });
    expect(stdout).toContain("hidden-by-plan");
    expect(stdout).toContain("calls: users.list 200");
    expect(stdout).not.toContain("own-identity");
    expect(terminal.chat.calls("chat.postMessage")).toBe(0);
  });

  test("without --write calls only methods that read", async () => {
    await using terminal = await terminalWith();
    await terminal.give();
    await terminal.doctor("--user", "alice");
    const methods = new Set(terminal.chat.requests.map(({ method }) => method));
    expect([...methods].toSorted()).toEqual([
      "auth.teams.list",
      "auth.test",
      "conversations.history",
      "conversations.info",
      "conversations.list",
      "conversations.members",
      "users.conversations",
      "users.info",
      "users.list",
      "users.lookupByEmail",
    ]);
  });

  test("with --all shows every check", async () => {
    await using terminal = await terminalWith();
    await terminal.give();
    expect((await terminal.doctor("--user", "alice", "--all")).stdout).toContain("own-identity");
  });

  test("with --write sends one message to oneself", async () => {
    await using terminal = await terminalWith();
    await terminal.give();
    const { code } = await terminal.doctor("--user", "alice", "--write");
    expect(code).toBe(0);
    const sent = terminal.chat.requests.filter(({ method }) => method === "chat.postMessage");
    expect(sent).toHaveLength(1);
    const opened = terminal.chat.requests.filter(({ method }) => method === "conversations.open");
    expect(opened.map(({ params }) => params["users"])).toEqual([terminal.chat.people.alice.id]);
  });

  test("without the permissions of a tool leaves its checks out", async () => {
    await using terminal = await terminalWith();
    await terminal.give(["users:read", "users:read.email"]);
    const { code, stdout } = await terminal.doctor("--user", "alice", "-o", "json");
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as { checks: { check: string; reason?: string }[] };
    const listing = report.checks.find(({ check }) => check === "list-pages");
    expect(listing).toMatchObject({ status: "not_checked", reason: "missing_permission" });
  });

  test("without the permission to read a message only sends it", async () => {
    await using terminal = await terminalWith();
    await terminal.give(CHAT_SCOPES.filter((scope) => !scope.includes("history")));
    const { code, stdout } = await terminal.doctor("--user", "alice", "--write", "-o", "json");
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as { checks: { check: string }[] };
    const named = (name: string) => report.checks.find(({ check }) => check === name);
    expect(named("message-to-oneself")).toMatchObject({ status: "as_expected" });
    expect(named("message-read-back")).toMatchObject({ reason: "missing_permission" });
  });

  test("with --write and without its permissions exits with the address of the consent", async () => {
    await using terminal = await terminalWith();
    await terminal.give(["users:read", "users:read.email"]);
    const { code } = await terminal.doctor("--user", "alice", "--write");
    expect(code).toBe(6);
    expect(terminal.chat.calls()).toBe(0);
  });

  test("exits 1 if the platform behaves differently", async () => {
    await using terminal = await terminalWith();
    await terminal.give();
    terminal.chat.fail("conversations.info", { kind: "error", error: "no_such_channel" }, 10);
    const { code, stdout } = await terminal.doctor("--user", "alice");
    expect(code).toBe(1);
    expect(stdout).toContain("differs  unknown-conversation");
    expect(stdout).toContain("code no_such_channel, code_is_listed false");
  });

  test("a rate limit leaves the checks of its method open, and the report says so", async () => {
    await using terminal = await terminalWith();
    await terminal.give();
    terminal.chat.fail("users.list", { kind: "rate_limit", retryAfter: 30 });
    const { code, stdout, stderr } = await terminal.doctor("--user", "alice", "-o", "json");
    expect(code).toBe(7);
    expect(terminal.chat.calls("users.list")).toBe(1);
    expect(stderr).toContain("The report is not complete (rate limited). Try again in 30 s.");
    expect(jsonOf({ stdout })).toMatchObject({
      complete: false,
      incomplete: { reason: "rate_limited", retry_after_seconds: 30 },
      checks: expect.arrayContaining([
        expect.objectContaining({ check: "people-pages", reason: "rate_limited" }),
        expect.objectContaining({ check: "invalid-cursor", reason: "rate_limited" }),
        expect.objectContaining({ check: "list-pages", status: "as_expected" }),
      ]),
    });
  });

  test("a refused token ends the run, and the report says so", async () => {
    await using terminal = await terminalWith();
    await terminal.give();
    terminal.chat.fail("users.list", { kind: "error", error: "token_revoked" }, 5);
    const { code, stdout } = await terminal.doctor("--user", "alice", "-o", "json");
    expect(code).toBe(6);
    expect(jsonOf({ stdout })).toMatchObject({ complete: false, incomplete: { reason: "grant_refused" } });
  });

  test("a platform that fails leaves a check open, and the run goes on", async () => {
    await using terminal = await terminalWith();
    await terminal.give();
    terminal.chat.fail("users.lookupByEmail", { kind: "server_error" }, 1);
    const { code, stdout } = await terminal.doctor("--user", "alice", "-o", "json");
    expect(code).toBe(1);
    expect(jsonOf({ stdout })).toMatchObject({
      complete: true,
      checks: expect.arrayContaining([
        expect.objectContaining({ check: "unknown-email", status: "not_checked", reason: "no_answer" }),
      ]),
    });
  });

  test("a run that takes longer than a tool may ends, and the report says so", async () => {
    await using terminal = await terminalWith();
    await terminal.give();
    terminal.chat.fail("users.list", { kind: "delay", ms: 60_000 });
    const { code, stdout } = await terminal.run(
      ["doctor", "--platform", "slack", "--user", "alice", "-o", "json"],
      { env: { RUNTIME_TOOLS_TIMEOUT: "1" } },
    );
    expect(code).toBe(8);
    expect(jsonOf({ stdout })).toMatchObject({ complete: false, incomplete: { reason: "time_up" } });
  });

  test("when stopped, prints what was seen and that it was interrupted", async () => {
    await using terminal = await terminalWith();
    await terminal.give();
    terminal.chat.fail("users.list", { kind: "delay", ms: 60_000 });
    const { code, stdout } = await terminal.run(
      ["doctor", "--platform", "slack", "--user", "alice", "-o", "json"],
      {
        stops: () => terminal.chat.calls("users.list") > 0,
      },
    );
    expect(code).toBe(130);
    expect(jsonOf({ stdout })).toMatchObject({
      complete: false,
      incomplete: { reason: "interrupted" },
      checks: expect.arrayContaining([
        expect.objectContaining({ check: "own-identity", status: "as_expected" }),
        expect.objectContaining({ check: "people-pages", reason: "ended_before" }),
      ]),
    });
  });

  test.each([
    [["doctor", "--user", "alice"], "--user needs --platform"],
    [["doctor", "--write"], "--write needs --platform"],
    [["doctor", "--platform", "other", "--user", "alice"], "slack, google, zoho"],
    [
      ["doctor", "--platform", "slack", "--user", "alice", "--server", "https://example.com"],
      "data folder only",
    ],
  ])("%p is refused", async (words, reason) => {
    const { code, stderr } = await newTerminal().run(words);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) });
  });
});
