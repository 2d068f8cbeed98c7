// The Model Context Protocol until 2025-11-25: sessions.
import { expect } from "bun:test";
import { asks, check, gets, send } from "../exchange";
import { type Chapter, must, mustNot, type Proof, should, shouldNot } from "../ledger";
import { call, error, legacy, looks, post, posts, request } from "../mcp";
import { hears } from "./subscriptions";
import type { World } from "../world";

const CLIENT = { name: "ledger", version: "1" };
const begin = (params: object = {}) => ({
  message: request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: CLIENT,
    ...params,
  }),
});
/** What `initialize` answers for a version. */
const negotiates = (asked: string, given: string) =>
  posts(begin({ protocolVersion: asked }), { status: 200, body: { result: { protocolVersion: given } } });
const session = (message: unknown, headers = {}) => ({ message, session: true as const, headers });
const cancelled = (requestId: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});
const progress = (progressToken: unknown) =>
  session(request("tools/call", call("test_tool_with_progress", { _meta: { progressToken } })));
const origin = (value: string, status: number): Proof =>
  posts({ message: request("ping"), headers: { origin: value } }, { status });
const host = (value: string, status: number): Proof =>
  posts({ message: request("ping"), headers: { host: value } }, { status });

async function elicited(world: World, capabilities: object): Promise<string> {
  const begun = await post(world, begin({ capabilities }));
  const answer = await post(world, {
    message: request("tools/call", call("Chat_WhoAmI")),
    headers: { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" },
  });
  return answer.text;
}

export const mcp2025: Chapter = {
  id: "MCP 2025-11-25",
  title: "Model Context Protocol, revisions 2025-03-26 to 2025-11-25",
  url: "https://modelcontextprotocol.io/specification/2025-11-25",
  rows: [
    must(
      "basic, Requests",
      "a request has a text or an integer as its id",
      posts({ message: request("ping", undefined, 1.5) }, error(-32600, 400)),
    ),
    mustNot(
      "basic, Requests",
      "an id is null",
      posts({ message: request("ping", undefined, null) }, error(-32600, 400)),
    ),
    must(
      "basic, Responses",
      "a result has the id of its request",
      posts(session(request("ping", undefined, "abc")), { body: '"id":"abc"' }),
    ),
    must(
      "basic, Responses",
      "an error has the id of its request",
      posts(session(request("made/up", undefined, "abc")), { body: '"id":"abc"' }),
    ),
    must(
      "basic, Notifications",
      "a notification gets no response",
      posts(session({ jsonrpc: "2.0", method: "notifications/initialized" }), { status: 202, body: /^$/ }),
    ),
    must(
      "lifecycle, Initialization",
      "the server answers initialize with version, capabilities and its name",
      posts(begin(), {
        body: {
          result: {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "keys", title: "Keys" },
          },
        },
      }),
    ),
    must(
      "lifecycle, Initialization",
      "a request to initialize names a version",
      posts({ message: request("initialize", { capabilities: {}, clientInfo: CLIENT }) }, error(-32602)),
    ),
    must(
      "lifecycle, Initialization",
      "a version is a text",
      posts(begin({ protocolVersion: 7 }), error(-32602)),
    ),
    must(
      "lifecycle, Version",
      "a supported version is answered with the same: 2025-11-25",
      negotiates("2025-11-25", "2025-11-25"),
    ),
    must(
      "lifecycle, Version",
      "a supported version is answered with the same: 2025-06-18",
      negotiates("2025-06-18", "2025-06-18"),
    ),
    must(
      "lifecycle, Version",
      "a supported version is answered with the same: 2025-03-26",
      negotiates("2025-03-26", "2025-03-26"),
    ),
    must(
      "lifecycle, Version",
      "another version is answered with one that is supported",
      negotiates("1999-01-01", "2025-11-25"),
    ),
    should(
      "lifecycle, Version",
      "that is the latest version with sessions",
      negotiates("2099-01-01", "2025-11-25"),
    ),
    must(
      "lifecycle, Operation",
      "only negotiated capabilities are used: no log lines, no requests of the server",
      looks(session(request("tools/call", call("test_logging_tool"))), (messages) =>
        expect(messages.filter((each) => "method" in each)).toEqual([]),
      ),
    ),
    must(
      "transports",
      "messages are UTF-8",
      posts({ message: request("ping", undefined, "\u00e9\u4e16") }, { body: '"\u00e9\u4e16"' }),
    ),
    must(
      "transports, Streamable HTTP",
      "one address takes POST",
      posts({ message: request("ping") }, { status: 200 }),
    ),
    must(
      "transports, Security",
      "the Origin of a page of another site is refused with 403",
      origin("https://evil.example", 403),
    ),
    must("transports, Security", "the Origin null is refused with 403", origin("null", 403)),
    must("transports, Security", "the Origin of the server itself is accepted", async (world) =>
      check(world, await post(world, { message: request("ping"), headers: { origin: world.url } }), {
        status: 200,
      }),
    ),
    must(
      "transports, Security",
      "the Origin of a local page is accepted on a developer's machine",
      origin("http://localhost:3000", 200),
    ),
    must(
      "transports, Security",
      "a name that leads to our address is refused (DNS rebinding)",
      host("evil.example", 403),
    ),
    should("transports, Security", "a server on a developer's machine listens on loopback", ({ url }) =>
      expect(new URL(url).hostname).toBe("127.0.0.1"),
    ),
    should(
      "transports, Security",
      "every connection is authenticated",
      asks({ path: "/mcp/keys", body: {} }, { status: 401 }),
    ),
    must(
      "transports, Sending",
      "an accepted notification is answered with 202 and no body",
      posts({ message: cancelled(99) }, { status: 202, body: /^$/ }),
    ),
    must(
      "transports, Sending",
      "an accepted response is answered with 202 and no body",
      posts({ message: { jsonrpc: "2.0", id: 1, result: {} } }, { status: 202, body: /^$/ }),
    ),
    must(
      "transports, Sending",
      "a message that is not accepted has an error status",
      posts({ message: "{broken" }, { status: 400 }),
    ),
    must(
      "transports, Sending",
      "a request is answered with JSON or a stream",
      posts({ message: request("ping") }, { headers: { "content-type": /^application\/json/ } }),
    ),
    must(
      "transports, Sending",
      "a body is one message: a list is refused",
      posts({ message: [request("ping")] }, { status: 400 }),
    ),
    should(
      "transports, Sending",
      "messages before the response belong to the request",
      looks(progress("p"), (messages) =>
        expect(messages.slice(0, -1).every(({ method }) => method === "notifications/progress")).toBe(true),
      ),
    ),
    should(
      "transports, Sending",
      "a stream ends after the response",
      looks(progress("p"), (messages) => expect(messages.at(-1)).toHaveProperty("result")),
    ),
    should(
      "transports, Sending",
      "a stream begins with an event that has an id, for resumption",
      looks(progress("p"), (_messages, { text }) => expect(text).not.toMatch(/^id:/m)),
      "The stream of a call is not resumable, so none of its events has an id. Calls are short, and a client that wants to be safe sends an Idempotency-Key over REST.",
    ),
    shouldNot(
      "transports, Sending",
      "a disconnection cancels a request",
      async (world) => {
        const slow = world.slow();
        const stop = new AbortController();
        const sent = post(world, {
          ...session(request("tools/call", call("slow_wait"))),
          signal: stop.signal,
        }).catch(() => undefined);
        await slow.begun;
        stop.abort();
        await sent;
        expect(await slow.ended).toBe("stopped");
      },
      "A client that hangs up ends its call in both families: nothing could deliver the result, since streams of calls are not resumable. Scheduled runs are for work that must go on.",
    ),
    should("cancellation", "a cancelled request is stopped, and gets no response", async (world) => {
      const slow = world.slow();
      const id = await world.session();
      const headers = { "mcp-session-id": id };
      const answer = post(world, { message: request("tools/call", call("slow_wait"), "c1"), headers });
      await slow.begun;
      await post(world, { message: cancelled("c1"), headers });
      expect([await slow.ended, (await answer).status, (await answer).text]).toEqual(["stopped", 202, ""]);
    }),
    should("cancellation", "an id beyond 2^53 is found by its digits", async (world) => {
      const slow = world.slow();
      const headers = { "mcp-session-id": await world.session() };
      const message = JSON.stringify(request("tools/call", call("slow_wait"), "ID")).replace(
        '"ID"',
        "12345678901234567890",
      );
      const answer = post(world, { message, headers });
      await slow.begun;
      await post(world, {
        message: JSON.stringify(cancelled("ID")).replace('"ID"', "12345678901234567890"),
        headers,
      });
      expect([await slow.ended, (await answer).status]).toEqual(["stopped", 202]);
    }),
    must(
      "transports, Listening",
      "GET is answered with a stream or 405",
      gets("/mcp/keys", { status: 405, headers: { allow: "OPTIONS, POST" } }),
    ),
    must(
      "transports, Listening",
      "GET of a session that takes a stream is answered with one",
      hears((streams) =>
        expect(streams.map(({ response }) => response.headers.get("content-type"))).toEqual([
          "text/event-stream",
          "text/event-stream",
        ]),
      ),
    ),
    should(
      "transports, Resumability",
      "the stream of a session begins with an event that has an id",
      hears(([stream]) => expect(stream?.begun).toBeString()),
    ),
    must(
      "transports, Resumability",
      "ids of events are unique in a session",
      hears(async ([older, newer], change) => {
        await change();
        const ids = [older?.begun, newer?.begun, (await newer?.next())?.id];
        expect(new Set(ids).size).toBe(3);
      }),
    ),
    mustNot(
      "transports, Multiple Connections",
      "a message is broadcast on all streams of a session",
      hears(async ([older, newer], change, remove) => {
        await change();
        expect((await newer?.next())?.message["method"]).toBe("notifications/tools/list_changed");
        await remove();
        expect(await older?.rest()).toEqual([]);
      }),
    ),
    should(
      "tools, List Changed",
      "a changed list is told to a client that listens",
      hears(async ([, newer], change) => {
        await change();
        expect((await newer?.next())?.message["method"]).toBe("notifications/tools/list_changed");
      }),
    ),
    must(
      "transports, Multiple Connections",
      "a message is sent on one stream only",
      looks(progress("p"), (messages) =>
        expect(new Set(messages.map((each) => JSON.stringify(each))).size).toBe(messages.length),
      ),
    ),
    should("transports, Session", "a session id is unique", async (world) =>
      expect(await world.session()).not.toBe(await world.session()),
    ),
    must("transports, Session", "a session id has visible ASCII characters only", async (world) =>
      expect(await world.session()).toMatch(/^[\x21-\x7e]+$/),
    ),
    must(
      "transports, Session",
      "a session that does not exist is answered with 404",
      posts({ message: request("tools/list"), headers: { "mcp-session-id": "made-up" } }, error(-32001, 404)),
    ),
    must("transports, Session", "the session of another user is answered with 404", async (world) =>
      check(
        world,
        await post(world, {
          message: request("tools/list"),
          headers: { "mcp-session-id": await world.session(), "x-user-id": "mallory" },
        }),
        { status: 404 },
      ),
    ),
    should(
      "transports, Session",
      "DELETE may be refused with 405",
      asks({ method: "DELETE", path: "/mcp/keys" }, { status: 405 }),
    ),
    must(
      "transports, Version Header",
      "a version that is not supported is answered with 400",
      posts({ message: request("ping"), headers: { "mcp-protocol-version": "1999-01-01" } }, { status: 400 }),
    ),
    must(
      "transports, Version Header",
      "a text that is not a version is answered with 400",
      posts({ message: request("ping"), headers: { "mcp-protocol-version": "x" } }, { status: 400 }),
    ),
    should(
      "transports, Version Header",
      "without the header, 2025-03-26 is assumed",
      posts({ message: request("ping") }, { status: 200 }),
    ),
    must("ping", "ping is answered with an empty result", legacy("ping", undefined, { body: '"result":{}' })),
    must(
      "cancellation",
      "a cancellation that names an unknown request is ignored",
      posts(session(cancelled(12345)), { status: 202 }),
    ),
    must(
      "cancellation",
      "a malformed cancellation is ignored",
      posts(session(cancelled({ x: 1 })), { status: 202 }),
    ),
    must(
      "progress",
      "a progress token is a text or an integer, and comes back with the same bytes",
      looks(progress("tok"), ([first]) => expect(first).toMatchObject({ params: { progressToken: "tok" } })),
    ),
    must("progress", "a token beyond 2^53 comes back with the same digits", async (world) => {
      const message =
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_tool_with_progress","arguments":{},"_meta":{"progressToken":12345678901234567890}}}';
      expect((await post(world, session(message))).text).toContain('"progressToken":12345678901234567890,');
    }),
    must(
      "progress",
      "a token that is not a text or an integer brings no reports",
      looks(progress(1.5), (messages) => expect(messages).toHaveLength(1)),
    ),
    must(
      "progress",
      "reports increase",
      looks(progress("p"), (messages) => {
        const values = messages.slice(0, -1).map(({ params }) => Number(Object(params).progress));
        expect(values).toEqual([...new Set(values)].toSorted((left, right) => left - right));
      }),
    ),
    must(
      "progress",
      "reports stop with the response",
      looks(progress("p"), (messages) =>
        expect(messages.findIndex((each) => "result" in each)).toBe(messages.length - 1),
      ),
    ),
    must(
      "progress",
      "without a token there are no reports",
      looks(session(request("tools/call", call("test_tool_with_progress"))), (messages) =>
        expect(messages).toHaveLength(1),
      ),
    ),
    must(
      "tools, Capabilities",
      "a server with tools declares them",
      posts(begin(), { body: '"capabilities":{"tools":{"listChanged":true}}' }),
    ),
    must(
      "tools, Listing",
      "a tool has a name and an input schema that is an object",
      looks(session(request("tools/list")), ([message]) => {
        for (const tool of Object(message).result.tools)
          expect(tool).toMatchObject({ name: expect.any(String), inputSchema: { type: "object" } });
      }),
    ),
    should(
      "tools, Names",
      "a name has 1 to 128 characters of the allowed set",
      looks(session(request("tools/list")), ([message]) => {
        for (const { name } of Object(message).result.tools) expect(name).toMatch(/^[\w.-]{1,128}$/);
      }),
    ),
    should(
      "tools, Names",
      "names are unique",
      looks(session(request("tools/list")), ([message]) => {
        const names = Object(message).result.tools.map(({ name }: { name: string }) => name);
        expect(new Set(names).size).toBe(names.length);
      }),
    ),
    must(
      "tools, Calling",
      "a call is answered with content",
      legacy("tools/call", call("test_simple_text"), { body: { result: { content: [{ type: "text" }] } } }),
    ),
    must(
      "tools, Errors",
      "an unknown tool is an error of the protocol",
      legacy("tools/call", call("no_such"), error(-32602)),
    ),
    must(
      "tools, Errors",
      "a failed tool is a result with isError",
      legacy("tools/call", call("test_error_handling"), { body: { result: { isError: true } } }),
    ),
    must(
      "tools, Calling",
      "arguments are an object",
      legacy("tools/call", { name: "test_simple_text", arguments: [1] }, error(-32602)),
    ),
    must(
      "tools, Output",
      "structured content conforms to the output schema: it is an object",
      legacy("tools/call", call("Chat_WhoAmI"), { status: 200, not: /"structuredContent":[^{]/ }),
    ),
    should(
      "pagination",
      "an invalid cursor is -32602",
      legacy("tools/list", { cursor: "made-up" }, error(-32602)),
    ),
    should(
      "pagination",
      "an empty cursor is one that we never gave: -32602",
      legacy("tools/list", { cursor: "" }, error(-32602)),
    ),
    should("pagination", "an empty cursor is refused again after the first page was read", async (world) => {
      await post(world, session(request("tools/list")));
      await check(world, await post(world, session(request("tools/list", { cursor: "" }))), error(-32602));
    }),
    should("pagination", "a cursor is a text", legacy("tools/list", { cursor: 7 }, error(-32602))),
    mustNot("elicitation", "an elicitation is sent to a client that declares none", async (world) =>
      expect(await elicited(world, {})).toContain("authorization_url"),
    ),
    mustNot("elicitation", "an address is sent to a client that declares forms only", async (world) =>
      expect(await elicited(world, { elicitation: { form: {} } })).not.toContain("-32042"),
    ),
    must("elicitation", "-32042 lists elicitations by address with an id", async (world) => {
      const { error: refused } = JSON.parse(await elicited(world, { elicitation: { url: {} } }));
      expect(refused).toMatchObject({
        code: -32042,
        data: {
          elicitations: [
            { mode: "url", elicitationId: expect.any(String), url: expect.stringMatching(/^http/) },
          ],
        },
      });
    }),
    mustNot("elicitation", "an address contains who the user is", async (world) => {
      const { error: refused } = JSON.parse(await elicited(world, { elicitation: { url: {} } }));
      expect(refused.data.elicitations[0].url).not.toContain("alice");
    }),
    must(
      "authorization",
      "a server publishes the metadata of the protected resource",
      gets("/.well-known/oauth-protected-resource/mcp/tokens", {
        status: 200,
        body: /"authorization_servers":\["http/,
      }),
    ),
    should(
      "authorization",
      "a challenge names the scopes",
      asks({ path: "/mcp/tokens", body: {} }, { headers: { "www-authenticate": /scope="mcp"/ } }),
    ),
    must(
      "authorization",
      "a token that does not work is answered with 401",
      asks({ path: "/mcp/tokens", headers: { authorization: "Bearer x.y.z" }, body: {} }, { status: 401 }),
    ),
    must("authorization", "a token that lacks the scope is answered with 403", async (world) => {
      const answer = await send(world, {
        path: "/mcp/tokens",
        headers: { authorization: `Bearer ${world.token({ scope: "x" })}` },
        body: request("ping"),
      });
      await check(world, answer, { status: 403 });
    }),
    mustNot("authorization", "a token in the query is accepted", async (world) => {
      const answer = await send(world, {
        path: `/mcp/tokens?access_token=${world.token()}`,
        body: request("ping"),
      });
      await check(world, answer, { status: 401 });
    }),
    should("authorization", "a host in capitals is the same resource", async (world) => {
      const answer = await send(world, {
        path: "/mcp/tokens",
        headers: { authorization: `Bearer ${world.token()}`, host: world.host.toUpperCase() },
        body: request("ping"),
      });
      await check(world, answer, { status: 200 });
    }),
    mustNot("authorization", "the token of the client is passed on to platforms", async (world) => {
      expect(JSON.stringify(world.site.logLines)).not.toContain(world.keys.run);
    }),
  ],
};
