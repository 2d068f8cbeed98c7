// Hooks apply to tools of workers as to built-in ones, at every entry point, for both kinds of workers.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mcpWorker, httpWorker } from "../workers/site";
import { httpStandIn, mcpStandIn, NESTED, ORIGINAL, type StandInWorker } from "../workers/two-kinds";
import { at } from "../support/api";
import { found } from "../support/canaries";
import type { ChatSite } from "../support/chat-site";
import { EntryPoints } from "./entry-points";
import type { WebhookPeer } from "./webhook-peer";

const entries = new EntryPoints();
const workers: Readonly<Record<string, StandInWorker>> = { Peer: mcpStandIn(), Web: httpStandIn() };
let chat: ChatSite;
let peer: WebhookPeer;
beforeAll(async () => {
  await entries.start();
  ({ chat, peer } = entries.parts);
  const { runtime } = chat.site;
  const records = [
    mcpWorker("peer", workers["Peer"]?.uri ?? ""),
    httpWorker("web", workers["Web"]?.uri ?? ""),
  ];
  for (const record of records) await runtime.workers.create(entries.parts.operator, record);
});
afterAll(async () => {
  await entries[Symbol.asyncDispose]();
  for (const worker of Object.values(workers)) await worker[Symbol.asyncDispose]();
});
beforeEach(() => {
  peer.asked.length = 0;
  for (const worker of Object.values(workers)) worker.calls.length = 0;
});

const SEND = { message: "Hello from a test" };
const GONE = /there is no tool|tool not found|no such tool|unknown tool/;
const PERMITS = ({ path }: { path: string }) => (path === "access" ? {} : { code: "OK" });
const failed = (error: Error): string => error.message;
const both = Object.entries(workers);
const cases = both.flatMap(([toolkit, worker]) =>
  Object.entries(entries.ways).map(([name, way]) => [toolkit, name, way, worker] as const),
);

describe.each(cases)("%s by %s:", (toolkit, _name, way, worker) => {
  const sent = () => worker.calls.map(({ tool, input }) => [tool, input]);

  test("without a denial, the worker gets one call", async () => {
    peer.respond = PERMITS;
    await way.run(`${toolkit}.Send`, SEND);
    expect(sent()).toEqual([["Send", SEND]]);
  }, 20_000);

  test("an input that a pre hook replaces is what the worker gets", async () => {
    peer.respond = ({ path }) =>
      path === "pre" ? { code: "OK", override: { inputs: { message: "changed" } } } : PERMITS({ path });
    await way.run(`${toolkit}.Send`, SEND);
    expect(sent()).toEqual([["Send", { message: "changed" }]]);
  }, 20_000);

  test("a denial of a pre hook prevents the call", async () => {
    peer.respond = ({ path }) =>
      path === "access" ? {} : { code: "CHECK_FAILED", error_message: "not in this channel" };
    const text = await way.run(`${toolkit}.Send`, SEND);
    expect(text).toContain("denied by an extension policy: not in this channel");
    expect(sent()).toEqual([]);
  }, 20_000);

  test("a failure of a pre hook prevents the call", async () => {
    peer.respond = ({ path }) => (path === "access" ? {} : "maybe");
    expect(await way.run(`${toolkit}.Send`, SEND)).toContain("policy could not be checked");
    expect(sent()).toEqual([]);
  }, 20_000);

  test("an access hook hides the tool", async () => {
    peer.respond = ({ path }) =>
      path === "access" ? { deny: { [toolkit]: { tools: { Send: [] } } } } : { code: "OK" };
    const text = await way.run(`${toolkit}.Send`, SEND).catch(failed);
    expect(text.toLowerCase()).toMatch(GONE);
    expect(sent()).toEqual([]);
    if (way.list === undefined) return;
    const listed = await way.list();
    const shown = (tool: string) => new RegExp(`"${toolkit}[._]${tool}"`).test(listed);
    expect([shown("WhoAmI"), shown("Send")]).toEqual([true, false]);
  }, 20_000);

  test("a failure of an access hook hides and stops all tools", async () => {
    peer.respond = () => "maybe";
    const text = await way.run(`${toolkit}.WhoAmI`, {}).catch(failed);
    expect(found({ ORIGINAL, NESTED }, text)).toEqual([]);
    expect(sent()).toEqual([]);
    if (way.list !== undefined) expect(await way.list()).not.toContain(`${toolkit}.WhoAmI`);
  }, 20_000);

  test.each([
    ["replaces the output", { code: "OK", override: { output: { replaced: "BY-THE-HOOK" } } }],
    ["denies the output", { code: "CHECK_FAILED", error_message: "not for you" }],
    ["fails", "maybe"],
  ])(
    "if a post hook %s, nothing of the original passes",
    async (_what, answer) => {
      const from = chat.site.logLines.length;
      entries.terminalLog.length = 0;
      peer.respond = ({ path }) => (path === "post" ? answer : PERMITS({ path }));

      const text = await way.run(`${toolkit}.WhoAmI`, {});

      const asked = JSON.stringify(peer.asked.find(({ path }) => path === "post")?.body);
      // A scheduled run may be retried, because the tool only reads.
      expect([sent()[0], asked.includes(ORIGINAL)]).toEqual([["WhoAmI", {}], true]);
      if (typeof answer === "object" && "override" in answer) expect(text).toContain("BY-THE-HOOK");
      const log = [...entries.terminalLog, ...chat.site.logLines.slice(from)].join("\n");
      expect(found({ ORIGINAL, NESTED }, `${text}${log}`)).toEqual([]);
    },
    20_000,
  );
});

test.each(both)("the hooks learn the name of a tool of %s as a user knows it", async (toolkit, worker) => {
  peer.respond = PERMITS;
  await entries.ways["REST"]?.run(`${toolkit}.Send`, SEND);
  const pre = peer.asked.find(({ path }) => path === "pre");
  expect(at(pre?.body, "tool")).toMatchObject({ name: "Send", toolkit });
  expect(at(pre?.body, "inputs")).toEqual(SEND);
  expect(worker.calls).toHaveLength(1);
});
