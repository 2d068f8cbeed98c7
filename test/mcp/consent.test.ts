// A missing consent in MCP: by elicitation if the client supports it, otherwise by text. After the consent, the same call
// works. The user consents in a separate browser.
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { startServer } from "../../server";
import { until } from "../connections/executing";
import { at } from "../support/api";
import { Browser } from "../support/browser";
import { type Stage, startStage } from "../server/stage";
import { client, type McpAnswer, type McpCall, valueAt } from "./site";

let stage: Stage;
let url: string;
beforeAll(async () => {
  stage = await startStage();
  const { runtime } = stage.site;
  const operator = await runtime.identity.operator("default");
  await runtime.gateways.create(operator, { name: "Chat", slug: "chat", auth_type: "arcade_header" });
  await runtime.gateways.create(operator, { name: "More", slug: "more", auth_type: "arcade_header" });
  url = `${stage.site.url}/mcp/chat`;
});
afterAll(() => stage[Symbol.asyncDispose]());

const CALL = { name: "Chat_WhoAmI", arguments: {} };
const BY_URL = { elicitation: { url: {} } };
const by = (user: string): McpCall => ({ key: stage.keys.run, user });
const consent = (address: unknown, person: string) => new Browser().consent(String(address), person);
const ranFor = (answer: McpAnswer): unknown => valueAt(answer, "result.structuredContent.username");

describe("a client without capabilities", () => {
  test.each(["legacy", "modern"] as const)("(%s) gets text with the URL", async (family) => {
    const user = `${family}-plain`;
    const answer = await client(url, by(user))[family]("tools/call", CALL);
    expect([answer.status, valueAt(answer, "result.isError")]).toEqual([200, true]);
    const text: unknown = JSON.parse(String(valueAt(answer, "result.content.0.text")));
    expect(text).toEqual({
      authorization_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/authorize\/[\w-]+$/),
      llm_instructions: expect.stringContaining("call the tool again"),
      message: expect.stringContaining("Chat.WhoAmI"),
    });
    await consent(at(text, "authorization_url"), "alice");
    expect(ranFor(await client(url, by(user))[family]("tools/call", CALL))).toBe("alice");
  });

  test("that would take the text for structured content gets a sentence with the URL", async () => {
    const own = client(url, by("parses-texts"));
    const clientInfo = { name: "gemini-cli-mcp-client", version: "0.61.0" };
    const begun = await own.legacy("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo,
    });
    const session = begun.headers.get("mcp-session-id") ?? "";
    const answer = await own.legacy("tools/call", CALL, { "mcp-session-id": session });
    const text = String(valueAt(answer, "result.content.0.text"));
    expect(text).toMatch(/^Chat\.WhoAmI needs your consent/);
    expect(text).toMatch(/\nauthorization_url: http:\/\/127\.0\.0\.1:\d+\/authorize\/[\w-]+\n/);
    expect(() => JSON.parse(text) as unknown).toThrow();
  });

  test("gets text if it only supports form elicitation", async () => {
    const capabilities = { elicitation: {} };
    const answer = await client(url, by("forms")).modern("tools/call", CALL, { capabilities });
    expect(valueAt(answer, "result.resultType")).toBe("complete");
    expect(valueAt(answer, "result.isError")).toBe(true);
  });
});

describe("a client of revision 2025-11-25 with URL elicitation", () => {
  test("gets an error with the URL, and works after the consent", async () => {
    const alice = client(url, by("url-error"));
    const { session } = await alice.initialize(BY_URL);
    const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    const refused = await alice.legacy("tools/call", CALL, headers);
    expect(valueAt(refused, "error.code")).toBe(-32042);
    const elicitation = valueAt(refused, "error.data.elicitations.0");
    expect(elicitation).toEqual({
      mode: "url",
      elicitationId: expect.stringMatching(/^ar_/),
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/authorize\//),
      message: expect.any(String),
    });
    await consent(at(elicitation, "url"), "alice");
    expect(ranFor(await alice.legacy("tools/call", CALL, headers))).toBe("alice");
  });

  test("gets text in revision 2025-06-18, which has no URL elicitation", async () => {
    const alice = client(url, by("older"));
    const { session } = await alice.initialize(BY_URL, "2025-06-18");
    const answer = await alice.legacy("tools/call", CALL, { "mcp-session-id": session });
    expect(valueAt(answer, "result.isError")).toBe(true);
  });

  test("gets text without its session", async () => {
    expect(valueAt(await client(url, by("no-session")).legacy("tools/call", CALL), "result.isError")).toBe(
      true,
    );
  });
});

describe("a client of revision 2026-07-28 with URL elicitation", () => {
  const started = async (user: string) => {
    const own = client(url, by(user));
    const answer = await own.modern("tools/call", CALL, { capabilities: BY_URL });
    const state = valueAt(answer, "result.requestState");
    const address = valueAt(answer, "result.inputRequests.authorization.params.url");
    const retry = (action: string, more: object = {}, as = own) =>
      as.modern(
        "tools/call",
        { ...CALL, requestState: state, inputResponses: { authorization: { action } }, ...more },
        { capabilities: BY_URL },
      );
    return { answer, state, address, retry };
  };

  test("is asked for input, waits for the consent, and gets the result", async () => {
    const { answer, address, retry } = await started("rounds");
    expect(valueAt(answer, "result")).toMatchObject({
      resultType: "input_required",
      inputRequests: {
        authorization: { method: "elicitation/create", params: { mode: "url", message: expect.any(String) } },
      },
      requestState: expect.any(String),
    });
    // The client accepts as soon as its user has opened the page.
    const result = retry("accept");
    await consent(address, "alice");
    expect(ranFor(await result)).toBe("alice");
  });

  test("whose user declines gets an error with the reason, and nothing runs", async () => {
    for (const action of ["decline", "cancel"]) {
      const { retry } = await started(`says-${action}`);
      const answer = await retry(action);
      expect([valueAt(answer, "result.resultType"), valueAt(answer, "result.isError")]).toEqual([
        "complete",
        true,
      ]);
      expect(valueAt(answer, "result.content.0.text")).toContain("did not allow access");
    }
  });

  test("whose user declines at the platform gets the reason, and is not asked again at once", async () => {
    const { address, retry } = await started("refuses");
    const browser = new Browser();
    await browser.open(await browser.toCallback(String(address), "cancel"));
    const answer = await retry("accept");
    expect([valueAt(answer, "result.resultType"), valueAt(answer, "result.isError")]).toEqual([
      "complete",
      true,
    ]);
    expect(valueAt(answer, "result.content.0.text")).toMatch(/^The consent failed \(.+\)\. Ask the user/);
  });

  test("is refused with a state that is changed, expired, or of another user, tool, input or gateway", async () => {
    const { state, retry } = await started("bound");
    const text = String(state);
    const middle = text.length - 10;
    const changed = text.slice(0, middle) + (text[middle] === "A" ? "B" : "A") + text.slice(middle + 1);
    const refusals = [
      await retry("accept", { requestState: changed }),
      await retry("accept", { requestState: "made up" }),
      await retry("accept", { requestState: 5 }),
      await retry("accept", {}, client(url, by("somebody-else"))),
      await retry("accept", {}, client(url, { key: stage.keys.admin, user: "bound" })),
      await retry("accept", {}, client(`${stage.site.url}/mcp/more`, by("bound"))),
      await retry("accept", { name: "Chat_ListUsers" }),
      await retry("accept", { arguments: { other: true } }),
    ];
    expect(refusals.map((answer) => valueAt(answer, "error.code"))).toEqual(refusals.map(() => -32602));
    stage.clock.move(16 * 60_000);
    expect(valueAt(await retry("accept"), "error.code")).toBe(-32602);
  });

  test("gets a separate URL for each user", async () => {
    const addresses = [await started("mallory"), await started("victim")].map(({ address }) =>
      String(address),
    );
    for (const address of addresses) expect(address).toStartWith(`${stage.site.url}/authorize/`);
    expect(new Set(addresses).size).toBe(2);
  });
});

test("a stopping server does not wait for a consent: the client is asked again", async () => {
  const { runtime } = stage.site;
  const server = await startServer(runtime);
  const own = client(`${server.address}/mcp/chat`, by("waits"));
  const first = await own.modern("tools/call", CALL, { capabilities: BY_URL });
  const requestState = valueAt(first, "result.requestState");
  const inputResponses = { authorization: { action: "accept" } };
  const waits = spyOn(runtime.core.store, "changed");
  const again = own.modern("tools/call", { ...CALL, requestState, inputResponses }, { capabilities: BY_URL });
  await until(() => waits.mock.calls.some(([kind]) => kind === "authorizations"));
  await server.stop();
  // Otherwise, a call waits for a consent longer than a test may take.
  expect(valueAt(await again, "result.resultType")).toBe("input_required");
});

test("a requirement that only an administrator can meet is explained as text", async () => {
  const { runtime } = stage.site;
  await runtime.providers.delete(await runtime.identity.operator("default"), "slack");
  const answer = await client(url, by("alice")).modern("tools/call", CALL, { capabilities: BY_URL });
  expect(valueAt(answer, "result.isError")).toBe(true);
  expect(valueAt(answer, "result.content.0.text")).toContain("slack");
});
