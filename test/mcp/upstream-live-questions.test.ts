// Questions that a server sends while it works, to clients of revision 2026-07-28: the question is the result, and the client
// answers it by calling again. The run goes on meanwhile.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { JsonObject } from "../../src/base";
import { client, type McpSite, startMcpSite, valueAt } from "./site";
import { upstream } from "./upstream-catalog";

const server = upstream("Kit", { tools: [{ name: "ask", inputSchema: { type: "object" } }] });
const QUESTION = { message: "Which one?", requestedSchema: { type: "object", properties: {} } };
const capabilities = { elicitation: {} };

let site: McpSite;
let key: string;
let url: string;
beforeAll(async () => {
  site = await startMcpSite({ catalogs: [server.catalog] });
  key = await site.key();
  url = await site.gateway("kit");
});
afterAll(() => site[Symbol.asyncDispose]());
beforeEach(() => {
  server.asked.length = 0;
  server.answer = async (_method, _params, { caller }) => {
    const answers: JsonObject[] = [];
    for (const message of ["first", "second"]) {
      const params = { ...QUESTION, message };
      answers.push((await caller?.ask?.({ method: "elicitation/create", params })) ?? {});
    }
    return { content: [{ type: "text", text: JSON.stringify(answers) }] };
  };
});

const by = (user: string) => client(url, { key, user });
const call = (user: string, more: object = {}, can: object = capabilities) =>
  by(user).modern("tools/call", { name: "Kit_ask", arguments: {}, ...more }, { capabilities: can });
const accept = (which: string): object => ({ question: { action: "accept", content: { which } } });

test("each question is a result, and one run gets all answers", async () => {
  const first = await call("alice");
  expect(valueAt(first, "result.resultType")).toBe("input_required");
  expect(valueAt(first, "result.inputRequests.question")).toEqual({
    method: "elicitation/create",
    params: { ...QUESTION, message: "first" },
  });
  const second = await call("alice", {
    inputResponses: accept("a"),
    requestState: valueAt(first, "result.requestState"),
  });
  expect(valueAt(second, "result.inputRequests.question.params.message")).toBe("second");
  const last = await call("alice", {
    inputResponses: accept("b"),
    requestState: valueAt(second, "result.requestState"),
  });
  expect(JSON.parse(String(valueAt(last, "result.content.0.text")))).toEqual([
    { action: "accept", content: { which: "a" } },
    { action: "accept", content: { which: "b" } },
  ]);
  expect(server.asked).toHaveLength(1);
});

test("a client that calls again without the answer is asked again", async () => {
  const first = await call("alice");
  const again = await call("alice", { requestState: valueAt(first, "result.requestState") });
  expect(valueAt(again, "result.inputRequests.question.params.message")).toBe("first");
  expect(server.asked).toHaveLength(1);
});

test("nobody else can answer, and no answer counts twice", async () => {
  const first = await call("alice");
  const answer = { inputResponses: accept("x"), requestState: valueAt(first, "result.requestState") };
  expect(valueAt(await call("mallory", answer), "error.code")).toBe(-32602);
  expect(valueAt(await call("alice", answer), "result.resultType")).toBe("input_required");
  const twice = await call("alice", answer);
  expect(valueAt(twice, "result.isError")).toBe(true);
  expect(valueAt(twice, "result.content.0.text")).toContain("unknown");
});

test("a run that has ended is not run again", async () => {
  const ended = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  server.answer = async (_method, _params, { caller }) => {
    caller?.ask?.({ method: "elicitation/create", params: QUESTION }).catch(() => ended.resolve());
    await finish.promise;
    return { content: [] };
  };
  const first = await call("alice");
  finish.resolve();
  await ended.promise;
  const late = await call("alice", {
    inputResponses: accept("x"),
    requestState: valueAt(first, "result.requestState"),
  });
  expect(valueAt(late, "result.content.0.text")).toContain("waited too long");
  expect(server.asked).toHaveLength(1);
});

test("a client that cannot ask its user is not asked", async () => {
  const answer = await call("alice", {}, {});
  expect(valueAt(answer, "result.content.0.text")).toBe("[{},{}]");
});

test("a kind of question that the client cannot ask is refused", async () => {
  const refused = Promise.withResolvers<unknown>();
  server.answer = async (_method, _params, { caller }) => {
    const params = { mode: "url", message: "Open it", url: "https://example.com/" };
    await caller?.ask?.({ method: "elicitation/create", params }).catch(refused.resolve);
    return { content: [] };
  };
  expect(valueAt(await call("alice"), "result.resultType")).toBe("complete");
  expect(String(await refused.promise)).toContain("cannot be asked");
});
