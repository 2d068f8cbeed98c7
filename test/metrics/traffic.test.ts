// The page after traffic over every entry point: the counts are right, the parsers of Prometheus accept it, and it contains
// no user, secret or argument.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { say } from "../sandbox/models/chat-server";
import { EntryPoints } from "../hooks/entry-points";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { type Canaries, found } from "../support/canaries";
import { UPSTREAM_KEY } from "../support/chat-site";
import { faultsOf, lintOf, scrape, testWithParser, testWithPromtool, valueOf } from "./page";
import { testOnSqlite } from "../support/on-sqlite";

const entries = new EntryPoints();
const USER = "alice";
const MESSAGE = "MESSAGE-OF-ALICE-CANARY";
const PROJECT = "PROJECT-NAME-CANARY";
const OPEN_ACCEPT = "application/openmetrics-text;version=1.0.0";
const keys: Record<string, string> = {};
let open = "";
let plain = "";

beforeAll(async () => {
  await entries.start();
  const { chat, peer, operator } = entries.parts;
  const { site } = chat;
  await site.addChatProvider();
  await site.runtime.identity.createProject(operator, "hidden", PROJECT);
  peer.respond = ({ path }) => (path === "access" ? {} : { code: "OK" });
  for (const role of ["metrics", "admin", "run"] as const) keys[role] = await site.key(role);
  const agent = api(site.url, chat.key);
  const consent = { tool_name: "Chat.SendMessage", user_id: USER };
  // Before the consent: refused.
  await agent.post("/v1/tools/execute", { ...consent, input: { channel_name: "general", message: MESSAGE } });
  const started = await agent.post("/v1/tools/authorize", consent);
  await new Browser().consent(String(at(started.body, "url")), USER);
  const declined = await agent.post("/v1/tools/authorize", { ...consent, user_id: "bob" });
  const browser = new Browser();
  await browser.open(await browser.toCallback(String(at(declined.body, "url")), "cancel"));
  for (const way of Object.values(entries.ways))
    await way.run("Chat.SendMessage", { channel_name: "general", message: MESSAGE });
  await agent.post("/v1/tools/execute", { ...consent, input: { message: MESSAGE } });
  chat.upstream.script((request, reply) => say(request, reply, { content: "Hi" }));
  await chat.ask({ model: "test-model", messages: [{ role: "user", content: MESSAGE }], user: USER });
  await entries.mcp().modern("tools/list");
  await entries.mcp().modern(`made/up-${MESSAGE}`);
  await agent.get(`/v1/tools?user_id=${USER}`);
  await agent.get(`/v1/${MESSAGE}`);
  await fetch(`${site.url}/v1/health`);
  plain = (await scrape(site.url, keys["metrics"])).text;
  open = (await scrape(site.url, keys["metrics"], OPEN_ACCEPT)).text;
}, 60_000);
afterAll(() => entries[Symbol.asyncDispose]());

testWithParser("the strict parser of OpenMetrics accepts it", async () => {
  expect(await faultsOf(open)).toBe("");
});

testWithPromtool("promtool accepts it", async () => {
  expect(await lintOf(plain)).toBe("");
});

test.each([
  // REST, a scheduled run, MCP twice, the chat loop and responses; the terminal is another process.
  ['runtime_tool_calls_total{toolkit="Chat",tool="SendMessage",outcome="completed"}', 6],
  ['runtime_tool_calls_total{toolkit="Chat",tool="SendMessage",outcome="refused"}', 1],
  ['runtime_tool_calls_total{toolkit="Chat",tool="SendMessage",outcome="TOOL_RUNTIME_BAD_INPUT_VALUE"}', 1],
  ['runtime_tool_call_duration_seconds_count{toolkit="Chat"}', 8],
  ['runtime_tool_calls_by_entry_total{entry="api",result="completed"}', 1],
  ['runtime_tool_calls_by_entry_total{entry="api",result="failed"}', 1],
  ['runtime_tool_calls_by_entry_total{entry="mcp",result="completed"}', 2],
  ['runtime_tool_calls_by_entry_total{entry="chat",result="completed"}', 2],
  ['runtime_tool_calls_by_entry_total{entry="schedule",result="completed"}', 1],
  // The completed runs. Hooks are not asked about an input that the tool refuses.
  ['runtime_hook_calls_total{point="tool.pre",outcome="ok"}', 6],
  ['runtime_hook_calls_total{point="tool.post",outcome="ok"}', 6],
  ['runtime_http_requests_total{method="POST",route="/v1/tools/execute",status="200"}', 2],
  ['runtime_http_requests_total{method="POST",route="/v1/tools/execute",status="403"}', 1],
  ['runtime_http_requests_total{method="GET",route="other",status="404"}', 1],
  ['runtime_http_requests_total{method="GET",route="/v1/health",status="200"}', 1],
  ['runtime_http_request_duration_seconds_count{method="POST",route="/v1/tools/execute"}', 3],
  ['runtime_mcp_messages_total{method="tools/call",outcome="ok"}', 2],
  ['runtime_mcp_messages_total{method="tools/list",outcome="ok"}', 1],
  ['runtime_mcp_messages_total{method="other",outcome="error"}', 1],
  ['runtime_consents_total{event="begun"}', 2],
  ['runtime_consents_total{event="granted"}', 1],
  ['runtime_consents_total{event="declined"}', 1],
  // One turn of each of the two loops, and the completion without tools.
  ['runtime_model_requests_total{entry="local",operation="chat",outcome="ok"}', 3],
  ["runtime_healthy", 1],
  ["runtime_revocations_pending", 0],
  ["runtime_consents_pending", 0],
  ["runtime_calls_running", 0],
  ['runtime_scheduled_runs{state="due"}', 0],
  ["runtime_worker_processes", 0],
] as const)("%s is %d", (series, count) => {
  expect(valueOf(open, series)).toBe(count);
});

test.each([
  "process_cpu_seconds_total",
  "process_resident_memory_bytes",
  "process_open_fds",
  "process_max_fds",
  "process_virtual_memory_bytes",
  "process_start_time_seconds",
  "runtime_heap_bytes",
  'runtime_database_read_duration_seconds_count{database="main"}',
  'runtime_database_write_duration_seconds_count{database="main"}',
  'runtime_database_write_wait_seconds_count{database="main"}',
  'runtime_database_write_duration_seconds_count{database="log"}',
  'runtime_cache_requests_total{cache="keys",result="hit"}',
  'runtime_cache_requests_total{cache="keys",result="miss"}',
  'runtime_egress_requests_total{group="hook",outcome="2xx"}',
  'runtime_egress_requests_total{group="model",outcome="2xx"}',
  'runtime_egress_requests_total{group="Chat",outcome="2xx"}',
  'runtime_egress_requests_total{group="auth_provider",outcome="2xx"}',
] as const)("%s is above 0", (series) => {
  expect(valueOf(open, series)).toBeGreaterThan(0);
});

testOnSqlite.each(["main", "wal"])("the size of the file %s is above 0", (file) => {
  expect(valueOf(open, `runtime_database_bytes{database="main",file="${file}"}`)).toBeGreaterThan(0);
});

test("both formats have the same series", () => {
  const names = (text: string) =>
    new Set([...text.matchAll(/^([a-z_]+(?:\{[^}]*\})?) /gm)].map(([, series]) => series));

  // The request for the first page is counted in the second.
  const ofPage = 'route="/metrics"';
  const without = (text: string) => [...names(text)].filter((series) => series?.includes(ofPage) !== true);
  expect(without(plain)).toEqual(without(open));
});

test("it contains no user, argument, secret, id, or name of a project", async () => {
  const { chat } = entries.parts;
  const { site } = chat;
  const { providers, connections } = site.runtime;
  const provider = await providers.find("default", "slack");
  if (provider === undefined) throw new Error("there is no provider");
  const grant = await connections.stored("default", USER, provider);
  const { items } = await site.runtime.connections.list(await site.runtime.identity.operator("default"), {});
  const canaries: Canaries = {
    user: USER,
    message: MESSAGE,
    project: PROJECT,
    "id of a project": "hidden",
    channel: "general",
    "key of the model server": UPSTREAM_KEY,
    connection: String(items[0]?.id),
    folder: site.folder,
    "address of the platform": new URL(site.chat.apiUrl).host,
    ...Object.fromEntries(Object.entries(keys).map(([role, key]) => [`key ${role}`, key])),
    "token of the user": String(grant?.token.reveal()),
  };

  expect(
    Object.entries(canaries).filter(([, secret]) => secret.length < 3 || secret === "undefined"),
  ).toEqual([]);
  expect(found(canaries, open)).toEqual([]);
});
