// What one gateway has given to a client (a session, the state of a call, the cursor of a list) used at another gateway, by
// another caller, or after the gateway was made again.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { open } from "../mcp/listener";
import { client, type McpAnswer, type McpCall, valueAt } from "../mcp/site";
import { startStage, type Stage } from "../server/stage";
import { printFigure } from "./figure";

const CALL = { name: "Chat_WhoAmI", arguments: {} };
const BY_URL = { elicitation: { url: {} } };

let stage: Stage;
let other: string;
const addressOf = (slug: string): string => `${stage.site.url}/mcp/${slug}`;
beforeAll(async () => {
  stage = await startStage();
  for (const slug of ["open", "closed"]) await gateway(slug);
  await gateway("foreign", "other");
  other = await stage.site.key("run", undefined, "other");
});
afterAll(() => stage[Symbol.asyncDispose]());

async function gateway(slug: string, project = "default", allowed?: string[]) {
  const { runtime } = stage.site;
  const filter = allowed === undefined ? {} : { tool_filter: { allowed_tools: allowed } };
  const operator = await runtime.identity.operator(project);
  return runtime.gateways.create(operator, { name: slug, slug, auth_type: "arcade_header", ...filter });
}

/** Where and by whom what the gateway "open" gave to alice is used. */
const USES: readonly (readonly [string, () => readonly [slug: string, by: McpCall]])[] = [
  ["at another gateway", () => ["closed", { key: stage.keys.run, user: "alice" }]],
  ["at a gateway of another project", () => ["foreign", { key: other, user: "alice" }]],
  ["by another user", () => ["open", { key: stage.keys.run, user: "bob" }]],
  ["by another key", () => ["open", { key: stage.keys.admin, user: "alice" }]],
];

let refused = 0;
afterAll(() => printFigure("what one gateway gave, used at another", `${refused} attempts: 0 succeed`));

async function sessionOf(slug: string): Promise<string> {
  return (await client(addressOf(slug), { key: stage.keys.run, user: "alice" }).initialize()).session;
}
const withSession = (slug: string, by: McpCall, session: string): Promise<McpAnswer> =>
  client(addressOf(slug), by).legacy("tools/call", CALL, {
    "mcp-session-id": session,
    "mcp-protocol-version": "2025-11-25",
  });

test.each(USES)("a session used %s is not found", async (_what, use) => {
  const session = await sessionOf("open");
  const [slug, by] = use();
  // First by its owner, so that the server has it in its cache.
  expect((await withSession("open", { key: stage.keys.run, user: "alice" }, session)).status).toBe(200);
  const answer = await withSession(slug, by, session);

  expect([answer.status, valueAt(answer, "error.code")]).toEqual([404, -32001]);
  refused += 1;
});

test.each(USES)("the stream of a session used %s is not found", async (_what, use) => {
  const session = await sessionOf("open");
  const [slug, by] = use();
  const alice = { key: stage.keys.run, user: "alice" };
  const own = await open(addressOf("open"), alice, { "mcp-session-id": session });
  expect(own.status).toBe(200);
  await own.body?.cancel();
  const answer = await open(addressOf(slug), by, { "mcp-session-id": session });

  expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: -32001 } }]);
  refused += 1;
});

test.each(USES)("the state of a call used %s is refused", async (_what, use) => {
  const alice = client(addressOf("open"), { key: stage.keys.run, user: "alice" });
  const asked = await alice.modern("tools/call", CALL, { capabilities: BY_URL });
  const requestState = valueAt(asked, "result.requestState");
  expect(requestState).toBeString();
  const [slug, by] = use();
  const inputResponses = { authorization: { action: "accept" } };
  const params = { ...CALL, requestState, inputResponses };
  const answer = await client(addressOf(slug), by).modern("tools/call", params, { capabilities: BY_URL });

  expect([valueAt(answer, "error.code"), valueAt(answer, "error.message")]).toEqual([
    -32602,
    expect.stringContaining("requestState does not belong to this call"),
  ]);
  refused += 1;
});

test("a session and a state of a gateway that was made again under its slug are not valid", async () => {
  const { id } = await gateway("again");
  const alice = client(addressOf("again"), { key: stage.keys.run, user: "alice" });
  const { session } = await alice.initialize();
  const asked = await alice.modern("tools/call", CALL, { capabilities: BY_URL });
  const operator = await stage.site.runtime.identity.operator("default");
  await stage.site.runtime.gateways.delete(operator, id);
  await gateway("again");
  const requestState = valueAt(asked, "result.requestState");
  const params = { ...CALL, requestState, inputResponses: { authorization: { action: "accept" } } };

  expect((await withSession("again", { key: stage.keys.run, user: "alice" }, session)).status).toBe(404);
  const retried = await alice.modern("tools/call", params, { capabilities: BY_URL });
  expect(valueAt(retried, "error.code")).toBe(-32602);
  refused += 2;
});

test("a cursor shows nothing that the gateway does not offer", async () => {
  await gateway("narrow", "default", ["Chat.WhoAmI"]);
  const narrow = client(addressOf("narrow"), { key: stage.keys.run, user: "alice" });
  const cursors = ["Chat_ListUsers", "Chat_WhoAmI", "Sheets_WhoAmI", ""].map((name) =>
    Buffer.from(name).toString("base64url"),
  );
  for (const cursor of cursors) {
    const answer = await narrow.modern("tools/list", { cursor });
    const listed = (valueAt(answer, "result.tools") ?? []) as { name: string }[];

    expect(listed.filter(({ name }) => name !== "Chat_WhoAmI")).toEqual([]);
    refused += 1;
  }
});
