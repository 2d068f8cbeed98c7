// The Model Context Protocol, revision 2026-07-28: each request says everything.
import { expect } from "bun:test";
import { asks, check, gets } from "../exchange";
import { type Chapter, must, mustNot, type Proof, should, shouldNot } from "../ledger";
import { call, error, looks, MODERN, modern, modernMessage, post, posts, request } from "../mcp";
import type { World } from "../world";
import { ends, listens, watches } from "./subscriptions";

const KEY = "io.modelcontextprotocol";
const TEXT = call("test_simple_text");
const HEADERS = call("test_custom_headers");
const region = (value: unknown) => ({ ...HEADERS, arguments: { region: value } });
/** A call with `region` and its header. */
const mirrored = (value: unknown, header: string | undefined, status: number): Proof =>
  modern(
    "tools/call",
    region(value),
    status === 200 ? { status, body: '"resultType":"complete"' } : error(-32020, 400),
    {
      headers: header === undefined ? {} : { "mcp-param-region": header },
    },
  );
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;
const headers = (given: Record<string, string>, expected: object): Proof =>
  modern("tools/call", TEXT, expected, { headers: given });

/** A message without one of its parts. */
const without =
  (change: (message: { params: { _meta: Record<string, unknown> } }) => unknown, expected: object): Proof =>
  async (world) => {
    const sent = modernMessage("tools/list");
    const message = structuredClone(sent.message) as { params: { _meta: Record<string, unknown> } };
    change(message);
    await check(world, await post(world, { ...sent, message }), expected);
  };

const ASKING = "test_input_required_result_elicitation";
const FORM = { elicitation: { form: {} } };
const URL_ONLY = { elicitation: { url: {} } };
const asking = (capabilities: object, expected: object): Proof =>
  modern("tools/call", call(ASKING), expected, { capabilities });
/** The state of an answer that asks for input, with this change, sent again. */
const again =
  (change: (state: string) => string, more: object, expected: object, options: object = {}): Proof =>
  async (world) => {
    const first = await post(world, modernMessage("tools/call", call(ASKING), { capabilities: FORM }));
    const { requestState } = JSON.parse(first.text).result;
    const params = {
      ...call(ASKING),
      requestState: change(requestState),
      inputResponses: { user_name: { action: "accept", content: { name: "Ann" } } },
      ...more,
    };
    await check(
      world,
      await post(world, modernMessage("tools/call", params, { capabilities: FORM, id: 2, ...options })),
      expected,
    );
  };
const consent = async (world: World) =>
  JSON.parse(
    (await post(world, modernMessage("tools/call", call("Chat_WhoAmI"), { capabilities: URL_ONLY }))).text,
  ).result;

export const mcp2026: Chapter = {
  id: "MCP 2026-07-28",
  title: "Model Context Protocol, revision 2026-07-28",
  url: "https://modelcontextprotocol.io/specification/2026-07-28",
  rows: [
    must(
      "basic, Responses",
      "a result has resultType",
      modern("tools/list", {}, { body: '"resultType":"complete"' }),
    ),
    should(
      "basic, _meta",
      "a result has the server's name",
      modern("tools/list", {}, { body: `"${KEY}/serverInfo"` }),
    ),
    must(
      "basic, _meta",
      "a request without its version in _meta is refused with -32602 or for its headers",
      without(({ params }) => delete params._meta[`${KEY}/protocolVersion`], error(-32602, 400)),
    ),
    must(
      "basic, _meta",
      "a request without capabilities is -32602 and 400",
      without(({ params }) => delete params._meta[`${KEY}/clientCapabilities`], error(-32602, 400)),
    ),
    must(
      "basic, _meta",
      "capabilities are an object",
      without(({ params }) => (params._meta[`${KEY}/clientCapabilities`] = "x"), error(-32602, 400)),
    ),
    mustNot("basic, _meta", "clientInfo is required", modern("tools/list", {}, { status: 200 })),
    must(
      "basic, Error Codes",
      "an unknown method is 404 and -32601",
      modern("made/up", {}, error(-32601, 404)),
    ),
    must("basic, Error Codes", "ping is not part of this revision", modern("ping", {}, error(-32601, 404))),
    must(
      "basic, Error Codes",
      "initialize is not part of this revision",
      modern("initialize", {}, error(-32601, 404)),
    ),
    mustNot(
      "basic, Statelessness",
      "an earlier request is needed",
      modern("tools/call", TEXT, { status: 200 }),
    ),
    mustNot(
      "basic, Statelessness",
      "a session is begun",
      modern("tools/list", {}, { headers: { "mcp-session-id": null } }),
    ),
    must("basic, Requests", "an id beyond 2^53 comes back with the same digits", async (world) => {
      const { message, headers: given = {} } = modernMessage("tools/list", {}, { id: "ID" });
      const text = JSON.stringify(message).replace('"ID"', "12345678901234567890");
      expect((await post(world, { message: text, headers: given })).text).toContain(
        '"id":12345678901234567890,',
      );
    }),
    must(
      "versioning",
      "a version that is not supported is 400 and -32022 with those that are",
      posts(
        {
          message: request("tools/list", {
            _meta: { [`${KEY}/protocolVersion`]: "2099-01-01", [`${KEY}/clientCapabilities`]: {} },
          }),
          headers: { "mcp-protocol-version": "2099-01-01", "mcp-method": "tools/list" },
        },
        {
          status: 400,
          body: {
            error: {
              code: -32022,
              data: {
                supported: [MODERN, "2025-11-25", "2025-06-18", "2025-03-26"],
                requested: "2099-01-01",
              },
            },
          },
        },
      ),
    ),
    must(
      "versioning",
      "server/discover is served",
      modern(
        "server/discover",
        {},
        {
          status: 200,
          body: { result: { supportedVersions: [MODERN, "2025-11-25", "2025-06-18", "2025-03-26"] } },
        },
      ),
    ),
    must(
      "discover",
      "it names the capabilities",
      modern("server/discover", {}, { body: { result: { capabilities: { tools: { listChanged: true } } } } }),
    ),
    should("discover", "it has the server's name", modern("server/discover", {}, { body: '"name":"keys"' })),
    must(
      "transport, Security",
      "the Origin of another site is 403",
      headers({ origin: "https://evil.example" }, { status: 403 }),
    ),
    must(
      "transport, Sending",
      "an accepted notification is 202 without a body",
      posts(
        {
          message: { jsonrpc: "2.0", method: "notifications/x", params: {} },
          headers: { "mcp-protocol-version": MODERN },
        },
        { status: 202, body: /^$/ },
      ),
    ),
    must(
      "transport, Sending",
      "a notification that is not accepted has an error status",
      posts(
        {
          message: { jsonrpc: "2.0", method: "notifications/x" },
          headers: { "mcp-protocol-version": "2099-01-01" },
        },
        { status: 400 },
      ),
    ),
    must(
      "transport, Sending",
      "a request is answered with JSON or a stream",
      modern("tools/call", TEXT, { headers: { "content-type": /^application\/json/ } }),
    ),
    should(
      "transport, Receiving",
      "a stream says X-Accel-Buffering: no",
      looks(
        modernMessage("tools/call", call("test_tool_with_progress"), { meta: { progressToken: "p" } }),
        (_messages, { headers: got }) => expect(got.get("x-accel-buffering")).toBe("no"),
      ),
    ),
    must(
      "transport, Receiving",
      "messages on a stream belong to its request",
      looks(
        modernMessage("tools/call", call("test_tool_with_progress"), { meta: { progressToken: "p" } }),
        (messages) =>
          expect(messages.slice(0, -1).every(({ params }) => Object(params).progressToken === "p")).toBe(
            true,
          ),
      ),
    ),
    mustNot(
      "transport, Receiving",
      "the server sends requests on a stream",
      looks(modernMessage("tools/call", call(ASKING), { capabilities: FORM }), (messages) =>
        expect(messages.some((each) => "method" in each && "id" in each)).toBe(false),
      ),
    ),
    should(
      "transport, Receiving",
      "the response ends the stream",
      looks(
        modernMessage("tools/call", call("test_tool_with_progress"), { meta: { progressToken: "p" } }),
        (messages) => expect(messages.at(-1)).toHaveProperty("result"),
      ),
    ),
    must("transport, Version Header", "a request without the header is 400 and -32020", async (world) => {
      const { message } = modernMessage("tools/list");
      await check(
        world,
        await post(world, { message, headers: { "mcp-method": "tools/list" } }),
        error(-32020, 400),
      );
    }),
    must(
      "transport, Version Header",
      "a header that differs from _meta is 400 and -32020",
      headers({ "mcp-protocol-version": "2025-11-25" }, error(-32020, 400)),
    ),
    must("transport, Cancellation", "closing the stream cancels the request", async (world) => {
      const slow = world.slow();
      const stop = new AbortController();
      const sent = post(world, {
        ...modernMessage("tools/call", call("slow_wait")),
        signal: stop.signal,
      }).catch(() => undefined);
      await slow.begun;
      stop.abort();
      await sent;
      expect(await slow.ended).toBe("stopped");
    }),
    must(
      "transport, Headers",
      "a request without Mcp-Method is 400 and -32020",
      headers({ "mcp-method": "" }, error(-32020, 400)),
    ),
    must(
      "transport, Headers",
      "another Mcp-Method is 400 and -32020",
      headers({ "mcp-method": "tools/list" }, error(-32020, 400)),
    ),
    must(
      "transport, Headers",
      "the value of Mcp-Method is compared with case",
      headers({ "mcp-method": "TOOLS/CALL" }, error(-32020, 400)),
    ),
    must(
      "transport, Headers",
      "a call without Mcp-Name is 400 and -32020",
      headers({ "mcp-name": "" }, error(-32020, 400)),
    ),
    must(
      "transport, Headers",
      "another Mcp-Name is 400 and -32020",
      headers({ "mcp-name": "test_other" }, error(-32020, 400)),
    ),
    must(
      "transport, Headers",
      "an encoded Mcp-Name is decoded before it is compared",
      headers({ "mcp-name": base64("test_simple_text") }, { status: 200 }),
    ),
    must(
      "transport, Headers",
      "the marker of the encoding is compared with case",
      headers({ "mcp-name": base64("test_simple_text").replace("base64", "BASE64") }, error(-32020, 400)),
    ),
    must("transport, Headers", "names of headers are compared without case", async (world) => {
      const sent = modernMessage("tools/list");
      const upper = Object.fromEntries(
        Object.entries(sent.headers ?? {}).map(([name, value]) => [name.toUpperCase(), value]),
      );
      await check(world, await post(world, { ...sent, headers: upper }), { status: 200 });
    }),
    must(
      "transport, Validation",
      "an error of the headers has the id of the request",
      headers({ "mcp-method": "x" }, { body: '"id":1,' }),
    ),
    must(
      "transport, Parameters",
      "a marked parameter is listed with x-mcp-header",
      modern("tools/list", {}, { body: '"x-mcp-header":"Region"' }),
    ),
    must("transport, Parameters", "the right header is accepted", mirrored("us-west1", "us-west1", 200)),
    must("transport, Parameters", "a missing header is 400 and -32020", mirrored("us-west1", undefined, 400)),
    must("transport, Parameters", "another value is 400 and -32020", mirrored("us-west1", "eu", 400)),
    must("transport, Parameters", "values are compared with case", mirrored("us-west1", "US-WEST1", 400)),
    must(
      "transport, Parameters",
      "an encoded value is decoded",
      mirrored("Hello, \u4e16", base64("Hello, \u4e16"), 200),
    ),
    must(
      "transport, Parameters",
      "a value with spaces at its ends is encoded",
      mirrored(" padded ", base64(" padded "), 200),
    ),
    must(
      "transport, Parameters",
      "a value that looks encoded is encoded",
      mirrored("=?base64?eA==?=", base64("=?base64?eA==?="), 200),
    ),
    must(
      "transport, Parameters",
      "an encoded value that is not base64 is 400 and -32020",
      mirrored("x", "=?base64?!?=", 400),
    ),
    must(
      "transport, Parameters",
      "a header with characters beyond ASCII is 400 and -32020",
      mirrored("\u00e9", "\u00e9", 400),
    ),
    mustNot(
      "transport, Parameters",
      "the header is expected for a parameter that is null",
      mirrored(null, undefined, 200),
    ),
    mustNot(
      "transport, Parameters",
      "the header is expected for a parameter that is absent",
      modern("tools/call", HEADERS, { status: 200 }),
    ),
    mustNot(
      "transport, Parameters",
      "a header for an absent parameter is accepted",
      modern("tools/call", HEADERS, error(-32020, 400), { headers: { "mcp-param-region": "x" } }),
    ),
    must(
      "transport, Parameters",
      "a header that no parameter has is ignored",
      headers({ "mcp-param-other": "x" }, { status: 200 }),
    ),
    should(
      "transport, Validation",
      "numbers are compared as decimal numbers: 42.0 is 42",
      numbers("42.0", true),
    ),
    should(
      "transport, Validation",
      "numbers are compared as decimal numbers: 0x2A is not 42",
      numbers("0x2A", false),
    ),
    should(
      "transport, Validation",
      "numbers are compared as decimal numbers: 4.2e1 is not 42",
      numbers("4.2e1", false),
    ),
    should(
      "transport, Validation",
      "numbers are compared as decimal numbers: an empty text is not 0",
      numbers("", false, 0),
    ),
    should("transport, Earlier", "GET and DELETE are 405", gets("/mcp/keys", { status: 405 })),
    should(
      "transport, Earlier",
      "a session id is ignored",
      headers({ "mcp-session-id": "x" }, { status: 200, headers: { "mcp-session-id": null } }),
    ),
    should(
      "transport, Earlier",
      "Last-Event-ID is ignored",
      headers({ "last-event-id": "7" }, { status: 200 }),
    ),
    should(
      "mrtr",
      "a tool that needs input asks for it in its result",
      asking(FORM, {
        body: {
          result: {
            resultType: "input_required",
            inputRequests: { user_name: { method: "elicitation/create" } },
          },
        },
      }),
    ),
    must("mrtr", "an answer that asks has requests or a state", asking(FORM, { body: '"requestState":"' })),
    must(
      "mrtr",
      "a form is asked of a client with an empty elicitation",
      asking({ elicitation: {} }, { body: '"resultType":"input_required"' }),
    ),
    mustNot(
      "mrtr",
      "a form is asked of a client that declares addresses only",
      asking(URL_ONLY, error(-32021, 400)),
    ),
    must(
      "mrtr",
      "the error names the capability: form",
      asking(URL_ONLY, {
        body: { error: { data: { requiredCapabilities: { elicitation: { form: {} } } } } },
      }),
    ),
    mustNot("mrtr", "input is asked of a client that declares none", asking({}, error(-32021, 400))),
    must(
      "mrtr",
      "the input continues the call",
      again((state) => state, {}, { body: "Hello, Ann!" }),
    ),
    must(
      "mrtr",
      "a state that was changed is refused",
      again((state) => `${state.slice(0, -4)}AAAA`, {}, error(-32602)),
    ),
    must(
      "mrtr",
      "a state of other arguments is refused",
      again((state) => state, { arguments: { x: 1 } }, error(-32602)),
    ),
    must(
      "mrtr",
      "a state is bound to the user",
      again((state) => state, {}, error(-32602), { headers: { "x-user-id": "mallory" } }),
    ),
    must(
      "mrtr",
      "a state that is not a text is refused",
      modern("tools/call", { ...call(ASKING), requestState: 7 }, error(-32602), { capabilities: FORM }),
    ),
    should(
      "mrtr",
      "unknown answers are ignored",
      again(
        (state) => state,
        { inputResponses: { user_name: { action: "accept", content: { name: "Ann" } }, more: {} } },
        { body: "Hello, Ann!" },
      ),
    ),
    should(
      "mrtr",
      "missing input is asked for again",
      again((state) => state, { inputResponses: {} }, { body: '"resultType":"input_required"' }),
    ),
    should(
      "mrtr",
      "answers that are not objects are -32602",
      again((state) => state, { inputResponses: { user_name: "x" } }, error(-32602)),
    ),
    must("elicitation", "a consent is asked for by address, with a message", async (world) =>
      expect((await consent(world)).inputRequests.authorization.params).toMatchObject({
        mode: "url",
        url: expect.stringMatching(/^http/),
        message: expect.any(String),
      }),
    ),
    mustNot("elicitation", "a request of this revision has an elicitationId", async (world) =>
      expect(JSON.stringify(await consent(world))).not.toContain("elicitationId"),
    ),
    mustNot("elicitation", "the address contains who the user is", async (world) =>
      expect((await consent(world)).inputRequests.authorization.params.url).not.toContain("alice"),
    ),
    must("elicitation", "a user who declines is a result, not an error", async (world) => {
      const { requestState } = await consent(world);
      const params = {
        ...call("Chat_WhoAmI"),
        requestState,
        inputResponses: { authorization: { action: "decline" } },
      };
      await check(
        world,
        await post(world, modernMessage("tools/call", params, { capabilities: URL_ONLY, id: 2 })),
        { status: 200, body: { result: { isError: true } } },
      );
    }),
    mustNot(
      "elicitation",
      "an address is sent to a client that declares forms only",
      modern(
        "tools/call",
        call("Chat_WhoAmI"),
        { body: "authorization_url", not: '"inputRequests"' },
        { capabilities: FORM },
      ),
    ),
    must(
      "subscriptions",
      "subscriptions/listen begins with an acknowledgement that has its id",
      listens({ toolsListChanged: true }, (first) =>
        expect(first).toMatchObject({
          method: "notifications/subscriptions/acknowledged",
          params: { _meta: { [`${KEY}/subscriptionId`]: 7 } },
        }),
      ),
    ),
    must(
      "subscriptions",
      "the acknowledgement has what is supported",
      listens({ toolsListChanged: true }, (first) =>
        expect(Object(first.params).notifications).toEqual({ toolsListChanged: true }),
      ),
    ),
    must(
      "subscriptions",
      "what is not supported is left out",
      listens({ promptsListChanged: true, resourceSubscriptions: ["x:y"] }, (first) =>
        expect(Object(first.params).notifications).toEqual({ promptsListChanged: true }),
      ),
    ),
    must(
      "subscriptions",
      "the answer is a stream",
      listens({}, (_first, response) =>
        expect(response.headers.get("content-type")).toStartWith("text/event-stream"),
      ),
    ),
    must(
      "subscriptions",
      "a changed list of tools is told, with the id of the subscription",
      watches({ toolsListChanged: true }, true),
    ),
    mustNot("subscriptions", "what was not asked for is told", watches({}, false)),
    should(
      "subscriptions",
      "an ended subscription is answered with a result, after a cancellation that names it",
      ends(),
    ),
    must(
      "subscriptions",
      "notifications is an object",
      modern("subscriptions/listen", {}, error(-32602, 400)),
    ),
    must(
      "subscriptions",
      "a client that takes no stream is refused",
      modern(
        "subscriptions/listen",
        { notifications: {} },
        { status: 406, body: '"error"' },
        { headers: { accept: "application/json" } },
      ),
    ),
    must("tools, Listing", "the order is the same each time", async (world) =>
      expect((await post(world, modernMessage("tools/list"))).text).toBe(
        (await post(world, modernMessage("tools/list"))).text,
      ),
    ),
    must(
      "tools, Calling",
      "an unknown tool is an error",
      modern("tools/call", call("no_such"), error(-32602)),
    ),
    must(
      "tools, Errors",
      "a failed tool is a result with isError",
      modern("tools/call", call("test_error_handling"), { body: { result: { isError: true } } }),
    ),
    should(
      "pagination",
      "an invalid cursor is -32602",
      modern("tools/list", { cursor: "made-up" }, error(-32602)),
    ),
    should(
      "pagination",
      "an empty cursor is -32602, each time",
      modern("tools/list", { cursor: "" }, error(-32602)),
    ),
    must(
      "caching",
      "a complete list has ttlMs of 0 or more",
      modern("tools/list", {}, { body: /"ttlMs":\d+/ }),
    ),
    must(
      "caching",
      "a list that depends on the user is private",
      modern("tools/list", {}, { body: '"cacheScope":"private"' }),
    ),
    must(
      "caching",
      "server/discover has hints too",
      modern("server/discover", {}, { body: /"ttlMs":\d+,"cacheScope"/ }),
    ),
    shouldNot("caching", "a result of a call has hints", modern("tools/call", TEXT, { not: "ttlMs" })),
    must(
      "authorization",
      "a gateway for tokens answers a request without one with 401",
      asks(
        {
          path: "/mcp/tokens",
          body: modernMessage("tools/list").message as object,
          headers: modernMessage("tools/list").headers ?? {},
        },
        { status: 401 },
      ),
    ),
  ],
};

/** Compares a header with an integer of a schema. */
function numbers(header: string, same: boolean, value = 42): Proof {
  return async () => {
    const { checkParameters } = await import("../../../src/mcp/http-headers");
    const schema = { properties: { n: { type: "integer", "x-mcp-header": "N" } } };
    const checking = (): void =>
      checkParameters((name) => (name.toLowerCase() === "mcp-param-n" ? header : null), schema, { n: value });
    if (same) expect(checking).not.toThrow();
    else expect(checking).toThrow("Header mismatch");
  };
}
