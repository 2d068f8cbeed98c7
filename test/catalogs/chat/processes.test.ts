// A scan of the large workspace over several processes on one data folder: the terminal and several servers continue each
// other's scans, and know the rate limits that others were told.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { extensions } from "../../../catalogs";
import { Redacted, silentLog, systemClock } from "../../../src/base";
import { createRuntime } from "../../../src/runtime";
import { loadConfig } from "../../support/config";
import { type Site, startSite } from "../../support/site";
import { CHANNEL_PAGES, CHANNELS, largeWorkspace } from "./large-workspace";
import { ALL_SCOPES } from "./run";
import type { Stub } from "./stub";

setDefaultTimeout(60_000);

let ahead = 0;
const clock = { ...systemClock, now: () => Date.now() + ahead };
let platform: Stub;
let site: Site;
beforeEach(async () => {
  ahead = 0;
  platform = largeWorkspace(clock.now).on("chat.postMessage", { channel: "C1", ts: "1.0", message: {} });
  site = await startSite({ environment: { RUNTIME_CHAT_API_URL: platform.apiUrl }, parts: { clock } });
  await site.addChatProvider();
  for (const user of ["alice", "bob"]) await connect(user);
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});

async function connect(user: string): Promise<void> {
  const { connections, providers } = site.runtime;
  const provider = await providers.find("default", "slack");
  if (provider === undefined) throw new Error("no provider");
  const grant = {
    accessToken: new Redacted(`token-of-${user}`),
    refreshToken: undefined,
    expiresIn: undefined,
    scopes: [...ALL_SCOPES],
    facts: { user_id: user.toUpperCase(), team_id: "T1" },
  };
  await connections.store("default", user, provider, grant, [], function* () {});
}

/** A run in a process of its own, as `runtime tools exec` on the data folder makes it. */
async function inProcess(channel_name: string, user = "alice") {
  const config = loadConfig({ environment: site.environment });
  const runtime = await createRuntime(config, extensions, { clock, log: silentLog });
  try {
    const { output, success } = await runtime.tools.execute(await runtime.identity.operator("default"), {
      tool_name: "Chat.SendMessage",
      user_id: user,
      input: { channel_name, message: "hi" },
    });
    return { success, error: output?.error };
  } finally {
    await runtime.close();
  }
}

test("a process continues where another one stopped, and ends the scan", async () => {
  const name = `channel-${CHANNELS - 1}`;
  const first = await inProcess(name);
  expect(first.error?.message).toContain("Not found so far");
  expect(first.error?.message).toMatch(/Call again in \d+ s/);
  const before = platform.calls();

  // The limit is known, also to another user of the app and workspace.
  for (const user of ["alice", "bob"]) {
    const { error } = await inProcess(name, user);
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", retry_after_ms: expect.any(Number) });
  }
  expect(platform.calls()).toBe(before);

  ahead += 61_000;
  expect(await inProcess(name)).toMatchObject({ success: true });
  expect(platform.calls("conversations.list")).toBeLessThanOrEqual(CHANNEL_PAGES + 1);
});

test("the names that one user's process has read are not used for another user", async () => {
  expect((await inProcess("channel-3")).success).toBe(true);
  expect((await inProcess("channel-3")).success).toBe(true);
  expect(platform.calls("conversations.list")).toBe(1);
  expect((await inProcess("channel-3", "bob")).success).toBe(true);
  expect(platform.calls("conversations.list")).toBe(2);
});
