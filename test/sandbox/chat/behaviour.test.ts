// The behaviour that is data: rates, paging of several types, organizations, long messages. Each rule names its source.
import { describe, expect, test } from "bun:test";
import { startChatSandbox } from ".";
import { LENGTHS } from "../../../catalogs/sandbox/chat/behaviour/messages";
import { ORGANIZATION } from "../../../catalogs/sandbox/chat/behaviour/organization";
import { PAGING } from "../../../catalogs/sandbox/chat/behaviour/paging";
import { RATES } from "../../../catalogs/sandbox/chat/behaviour/rates";
import { ALL_SCOPES, callerWith } from "./test-client";

test("every rule has a source", () => {
  const rules = [...LENGTHS, ...ORGANIZATION, ...PAGING, ...RATES];
  expect(rules.length).toBeGreaterThan(10);
  for (const { source } of rules) expect(source.length).toBeGreaterThan(10);
});

describe("rates", () => {
  test("count for an app and workspace, in windows of a minute", async () => {
    let now = Date.parse("2026-03-08T12:00:00Z");
    await using sandbox = await startChatSandbox({ rates: true, now: () => now });
    const [alice, bob] = ["alice", "bob"].map((name) =>
      callerWith(sandbox, sandbox.issueToken(name, ALL_SCOPES).accessToken),
    );
    const list = () => alice?.("users.list", { limit: "1" });
    for (let n = 0; n < 20; n++) expect(await list()).toMatchObject({ ok: true });
    now += 10_000;
    expect(await list()).toMatchObject({ ok: false, error: "ratelimited" });
    expect(await bob?.("users.list", { limit: "1" })).toMatchObject({ ok: false, error: "ratelimited" });
    expect(await bob?.("auth.test")).toMatchObject({ ok: true });
    now += 50_000;
    expect(await list()).toMatchObject({ ok: true });
  });
});

test("several types make short pages", async () => {
  await using sandbox = await startChatSandbox();
  const alice = callerWith(sandbox, sandbox.issueToken("alice", ALL_SCOPES).accessToken);
  const page = async (types: string) => {
    const body = await alice("conversations.list", { types, limit: "40" });
    return (body["channels"] as unknown[]).length;
  };
  expect(await page("public_channel")).toBeGreaterThan(2);
  expect(await page("public_channel,private_channel")).toBe(1);
});
