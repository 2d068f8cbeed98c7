// HTTP semantics: methods, fields, statuses, preconditions, ranges, content.
import { expect } from "bun:test";
import { all, asks, bytes, check, gets, send } from "../exchange";
import { type Chapter, must, mustNot, should, shouldNot } from "../ledger";
import type { World } from "../world";

const GATEWAYS = "/v1/orgs/default/projects/default/gateways";

/** The address and tag of a record that no other row uses. */
async function record(
  world: World,
): Promise<{ path: string; tag: string; id: string; location: string | null }> {
  const made = await send(world, {
    path: GATEWAYS,
    as: "admin",
    body: { name: "Ledger", slug: `l${crypto.randomUUID().slice(0, 13)}`, auth_type: "arcade_header" },
  });
  expect(made.status, made.text).toBe(201);
  const id: string = JSON.parse(made.text).id;
  const path = `${GATEWAYS}/${id}`;
  const got = await send(world, { path, as: "admin" });
  return { id, path, tag: got.headers.get("etag") ?? "", location: made.headers.get("location") };
}

const DESCRIBED = { description: "changed" };
/** A change under a precondition, and whether it was done. */
function changes(
  method: "PATCH" | "DELETE",
  headersOf: (tag: string) => Record<string, string>,
  status: number,
) {
  return async (world: World): Promise<void> => {
    const { path, tag } = await record(world);
    const body = method === "PATCH" ? { body: DESCRIBED } : {};
    const answer = await send(world, { method, path, as: "admin", headers: headersOf(tag), ...body });
    await check(world, answer, { status });
    const after = await send(world, { path, as: "admin" });
    const isDone = method === "PATCH" ? after.text.includes("changed") : after.status === 404;
    expect(isDone).toBe(status < 300);
  };
}

const secret =
  (headers: Record<string, string>, status: number, key = "LEDGER") =>
  async (world: World) => {
    await send(world, { path: `/v1/admin/secrets/${key}`, as: "admin", body: { value: "one" } });
    const path = `/v1/admin/secrets/${key}`;
    await check(world, await send(world, { path, as: "admin", headers, body: { value: "two" } }), { status });
    const kept = await world.site.runtime.secrets.value("default", key);
    expect(kept).toBe(status === 200 ? "two" : "one");
  };

const tagged = async (world: World) => {
  const { headers } = await send(world, { path: "/v1/tools?limit=1", as: "run" });
  return headers.get("etag") ?? "";
};

const TEXT = { "content-type": "text/plain" };

export const rfc9110: Chapter = {
  id: "RFC 9110",
  title: "HTTP Semantics",
  url: "https://www.rfc-editor.org/rfc/rfc9110",
  rows: [
    should(
      "4.2.3",
      "an unreserved character that is percent-encoded in a path is the character",
      gets("/v1/%74ools?limit=1", { status: 200 }, { as: "run" }),
    ),
    should(
      "4.2.3",
      "the same holds for every segment and both cases of the digits",
      gets("/%76%31/h%65alth", { status: 200 }),
    ),
    mustNot(
      "4.2.3",
      "a reserved character that is percent-encoded is the delimiter",
      gets("/v1%2Fhealth", { status: 404 }),
    ),
    mustNot("4.2.3", "a path is decoded twice", gets("/v1/%2574ools", { status: 404 })),
    must("5.6.1", "empty members of a list field are ignored", async (world) => {
      const tag = await tagged(world);
      await check(
        world,
        await send(world, {
          path: "/v1/tools?limit=1",
          as: "run",
          headers: { "if-none-match": `, ${tag},` },
        }),
        { status: 304 },
      );
    }),
    must(
      "6.6.1",
      "an answer of an origin server with a clock has a Date",
      gets("/v1/health", { headers: { date: / GMT$/ } }),
    ),
    must(
      "8.3",
      "an answer with content names its media type",
      gets("/v1/health", { headers: { "content-type": /^application\/json/ } }),
    ),
    must(
      "8.6",
      "an answer without content to 204 has no Content-Length",
      asks({ method: "OPTIONS", path: "/v1/health" }, { status: 204, headers: { "content-length": null } }),
    ),
    must(
      "8.8.3",
      "an ETag is a quoted text",
      gets("/v1/tools?limit=1", { headers: { etag: /^"[!#-~]+"$/ } }, { as: "run" }),
    ),
    must("8.8.3", "a record has an ETag", async (world) =>
      expect((await record(world)).tag).toMatch(/^"[^"]+"$/),
    ),
    must("8.8.1", "a strong ETag changes with the representation", async (world) => {
      const { path, tag } = await record(world);
      await send(world, { method: "PATCH", path, as: "admin", body: DESCRIBED });
      expect((await send(world, { path, as: "admin" })).headers.get("etag")).not.toBe(tag);
    }),
    must(
      "9.1",
      "GET and HEAD are supported",
      all(gets("/v1/health", { status: 200 }), asks({ method: "HEAD", path: "/v1/health" }, { status: 200 })),
    ),
    should(
      "9.1",
      "a method that is not implemented is answered with 501",
      bytes("BREW /v1/health HTTP/1.1\nHost: a\nConnection: close\n\n", { empty: true }),
      "The engine closes the connection for a method that it does not know. Known methods that a path does not take are answered with `Allow`.",
    ),
    should(
      "15.5.6",
      "a method that a resource does not take is answered with 405",
      asks(
        { method: "DELETE", path: "/v1/health" },
        { status: 404, headers: { allow: "GET, HEAD, OPTIONS" } },
      ),
      "The published API answers 404 `route_not_found`, which clients compare. `Allow` says what is served; MCP addresses answer 405.",
    ),
    must(
      "15.5.6",
      "a 405 has Allow",
      asks({ method: "PUT", path: "/mcp/keys" }, { status: 405, headers: { allow: "GET, OPTIONS, POST" } }),
    ),
    must(
      "9.2.1",
      "a safe method changes nothing: GET of what POST does is refused",
      gets("/v1/auth/authorize", { status: 404 }, { as: "run" }),
    ),
    must(
      "9.3.2",
      "HEAD has no content",
      asks({ method: "HEAD", path: "/v1/tools" }, { status: 401, body: /^$/ }),
    ),
    should(
      "9.3.2",
      "HEAD has the fields of GET",
      asks(
        { method: "HEAD", path: "/v1/tools?limit=1", as: "run" },
        { status: 200, headers: { etag: /^"/, "content-type": /json/ } },
      ),
    ),
    must("9.3.3", "a created record is answered with 201", async (world) => void (await record(world))),
    should("9.3.3", "201 has a Location that leads to the record", async (world) => {
      const { path, location } = await record(world);
      expect(new URL(location ?? "", world.url + GATEWAYS).pathname).toBe(path);
    }),
    should("15.3.2", "Location of 201 is right for every kind of record", async (world) => {
      const made = await send(world, {
        path: "/v1/admin/keys",
        as: "admin",
        body: { name: "ledger", role: "read" },
      });
      const { pathname } = new URL(made.headers.get("location") ?? "", `${world.url}/v1/admin/keys`);
      expect(pathname).toBe(`/v1/admin/keys/${JSON.parse(made.text).id}`);
    }),
    must(
      "9.3.5",
      "a deleted record is gone",
      changes("DELETE", () => ({}), 204),
    ),
    should(
      "9.3.7",
      "OPTIONS is answered with Allow and needs no credential",
      asks(
        { method: "OPTIONS", path: "/v1/tools/execute" },
        { status: 204, headers: { allow: "GET, HEAD, OPTIONS, POST" } },
      ),
    ),
    should(
      "9.3.7",
      "OPTIONS of a path that does not exist is 404",
      asks({ method: "OPTIONS", path: "/v1/nothing" }, { status: 404, headers: { allow: null } }),
    ),
    mustNot(
      "9.3.8",
      "TRACE reflects fields",
      bytes("TRACE /v1/health HTTP/1.1\nHost: a\nAuthorization: Bearer canary\nConnection: close\n\n", {
        status: 404,
        not: "canary",
      }),
    ),
    must(
      "10.2.1",
      "Allow lists the methods that a resource takes",
      asks({ method: "POST", path: "/v1/tools" }, { headers: { allow: "GET, HEAD, OPTIONS" } }),
    ),
    must("10.2.3", "Retry-After is a number of seconds or a date", async (world) => {
      const { rateLimited } = await import("../../../src/errors");
      const { errorAnswer } = await import("../../../server/answer");
      await check(
        world,
        {
          ...errorAnswer(rateLimited("x", { retryAfterMs: 1500 })),
          status: 429,
          headers: errorAnswer(rateLimited("x", { retryAfterMs: 1500 })).headers,
          text: "",
        },
        { headers: { "retry-after": "2" } },
      );
    }),
    must(
      "10.1.1",
      "a request with Expect: 100-continue is answered",
      bytes("GET /v1/health HTTP/1.1\nHost: a\nExpect: 100-continue\nConnection: close\n\n", {
        status: [100, 200],
      }),
    ),
    must(
      "11.6.1",
      "a 401 has WWW-Authenticate",
      gets("/v1/tools", { status: 401, headers: { "www-authenticate": "Bearer" } }),
    ),
    must(
      "11.1",
      "the scheme of a credential is compared without case",
      gets(
        "/v1/tools?limit=1",
        { status: 200 },
        { headers: ({ keys }) => ({ authorization: `bEARER ${keys.run}` }) },
      ),
    ),
    mustNot(
      "11.6.2",
      "a credential of another scheme is accepted",
      gets(
        "/v1/tools?limit=1",
        { status: 401 },
        { headers: ({ keys }) => ({ authorization: `Basic ${btoa(`x:${keys.run}`)}` }) },
      ),
    ),
    must(
      "12.5.1",
      "a type with q=0 is not acceptable: a call is answered as a stream then",
      async (world) =>
        void (await mcpAccept(world, "application/json;q=0, text/event-stream", /^text\/event-stream/)),
    ),
    must(
      "12.4.2",
      "a stream with q=0 is not sent",
      async (world) =>
        void (await mcpAccept(world, "application/json, text/event-stream;q=0", /^application\/json/)),
    ),
    must(
      "8.3.1",
      "media types in Accept are compared without case",
      async (world) =>
        void (await mcpAccept(world, "APPLICATION/JSON;q=0, Text/Event-Stream", /^text\/event-stream/)),
    ),
    must(
      "12.5.1",
      "the most specific range counts",
      async (world) =>
        void (await mcpAccept(
          world,
          "application/*;q=0, application/json, text/event-stream",
          /^application\/json/,
        )),
    ),
    should(
      "12.5.3",
      "a content coding that is not supported is answered with 415 and Accept-Encoding",
      asks(
        { path: "/v1/tools/execute", as: "run", headers: { "content-encoding": "gzip" }, body: "x" },
        { status: 415, headers: { "accept-encoding": "identity" } },
      ),
    ),
    must(
      "8.4",
      "the coding identity means no coding",
      asks(
        {
          path: "/v1/tools/execute",
          as: "run",
          headers: { "content-encoding": "identity" },
          body: { tool_name: "X.Y" },
        },
        { status: 400, body: "user_id" },
      ),
    ),
    should(
      "15.5.16",
      "another media type is answered with 415",
      asks(
        { path: "/v1/tools/execute", as: "run", headers: TEXT, body: "x" },
        { status: 415, headers: { "accept-encoding": null } },
      ),
    ),
    should(
      "15.5.14",
      "content that is too large is answered with 413",
      asks(
        { path: "/v1/tools/execute", as: "run", body: () => `{"x":"${"x".repeat(17_000_000)}"}` },
        { status: 413 },
      ),
    ),
    must(
      "12.5.5",
      "an answer that depends on the credential is not given to others by a cache",
      gets(
        "/v1/tools?limit=1",
        { headers: { vary: /authorization/, "cache-control": /private/ } },
        { as: "run" },
      ),
    ),
    must(
      "13.1.1",
      "If-Match with another tag is 412, and the change is not made",
      changes("PATCH", () => ({ "if-match": '"nope"' }), 412),
    ),
    must(
      "13.1.1",
      "If-Match with the current tag lets the change be made",
      changes("PATCH", (tag) => ({ "if-match": tag }), 200),
    ),
    must(
      "13.1.1",
      "If-Match with a list counts if one of them is current",
      changes("PATCH", (tag) => ({ "if-match": `"a", ${tag}` }), 200),
    ),
    must(
      "13.1.1",
      "If-Match: * counts for a record that exists",
      changes("PATCH", () => ({ "if-match": "*" }), 200),
    ),
    must(
      "13.1.1",
      "If-Match compares strongly: a weak tag does not match",
      changes("PATCH", (tag) => ({ "if-match": `W/${tag}` }), 412),
    ),
    must(
      "13.1.1",
      "If-Match with another tag is 412 for DELETE, and nothing is deleted",
      changes("DELETE", () => ({ "if-match": '"nope"' }), 412),
    ),
    must(
      "13.1.1",
      "If-Match with the current tag lets DELETE be made",
      changes("DELETE", (tag) => ({ "if-match": tag }), 204),
    ),
    must(
      "13.1.1",
      "If-Match: * is 412 where nothing exists and the request would create it",
      async (world) => {
        const path = "/v1/admin/secrets/LEDGER_NEW";
        await check(
          world,
          await send(world, { path, as: "admin", headers: { "if-match": "*" }, body: { value: "x" } }),
          { status: 412 },
        );
        expect(await world.site.runtime.secrets.value("default", "LEDGER_NEW")).toBeUndefined();
      },
    ),
    must("13.1.1", "If-Match counts for GET too", async (world) => {
      const { path } = await record(world);
      await check(world, await send(world, { path, as: "admin", headers: { "if-match": '"nope"' } }), {
        status: 412,
      });
    }),
    must(
      "13.1.1",
      "If-Match is 412 for a resource that has no tag",
      asks(
        {
          path: "/v1/tools/execute",
          as: "run",
          headers: { "if-match": '"x"' },
          body: { tool_name: "Chat.WhoAmI", user_id: "u" },
        },
        { status: 412 },
      ),
    ),
    must(
      "13.1.2",
      "If-None-Match: * does not overwrite a secret that exists",
      secret({ "if-none-match": "*" }, 412),
    ),
    must(
      "13.1.2",
      "If-None-Match with another tag lets the change be made",
      secret({ "if-none-match": '"other"' }, 200),
    ),
    must("13.1.2", "If-None-Match: * lets a secret be created", async (world) => {
      const path = `/v1/admin/secrets/L${Date.now()}`;
      await check(
        world,
        await send(world, { path, as: "admin", headers: { "if-none-match": "*" }, body: { value: "x" } }),
        { status: 200 },
      );
    }),
    must("13.1.2", "If-None-Match with the current tag is 304 for GET", async (world) => {
      const tag = await tagged(world);
      await check(
        world,
        await send(world, { path: "/v1/tools?limit=1", as: "run", headers: { "if-none-match": tag } }),
        { status: 304, body: /^$/ },
      );
    }),
    must("13.1.2", "If-None-Match compares weakly", async (world) => {
      const tag = await tagged(world);
      await check(
        world,
        await send(world, { path: "/v1/tools?limit=1", as: "run", headers: { "if-none-match": `W/${tag}` } }),
        { status: 304 },
      );
    }),
    must("13.1.2", "If-None-Match with the current tag is 304 for a record", async (world) => {
      const { path, tag } = await record(world);
      await check(world, await send(world, { path, as: "admin", headers: { "if-none-match": tag } }), {
        status: 304,
      });
    }),
    must(
      "13.1.2",
      "If-None-Match with the current tag is 412 for another method",
      changes("PATCH", (tag) => ({ "if-none-match": tag }), 412),
    ),
    must("15.4.5", "304 has the ETag and Vary that 200 has", async (world) => {
      const tag = await tagged(world);
      await check(
        world,
        await send(world, { path: "/v1/tools?limit=1", as: "run", headers: { "if-none-match": tag } }),
        { headers: { etag: tag, vary: /authorization/ } },
      );
    }),
    must(
      "13.1.3",
      "If-Modified-Since is ignored without a modification date",
      gets(
        "/v1/tools?limit=1",
        { status: 200 },
        { as: "run", headers: { "if-modified-since": "Sat, 01 Jan 2050 00:00:00 GMT" } },
      ),
    ),
    must("13.1.4", "If-Unmodified-Since is ignored without a modification date", async (world) => {
      const { path } = await record(world);
      await check(
        world,
        await send(world, {
          method: "PATCH",
          path,
          as: "admin",
          headers: { "if-unmodified-since": "Sat, 01 Jan 2000 00:00:00 GMT" },
          body: DESCRIBED,
        }),
        { status: 200 },
      );
    }),
    must(
      "13.2.1",
      "a precondition is ignored if the request would fail without it",
      all(
        asks(
          {
            method: "PATCH",
            path: "/v1/plugins/pl_none",
            as: "admin",
            headers: { "if-match": '"x"' },
            body: {},
          },
          { status: 404 },
        ),
        asks(
          { method: "PATCH", path: "/v1/plugins/pl_none", headers: { "if-match": '"x"' }, body: {} },
          { status: 401 },
        ),
      ),
    ),
    must(
      "14.2",
      "Range is ignored by a server that does not support it",
      gets("/v1/tools?limit=1", { status: 200 }, { as: "run", headers: { range: "bytes=0-1" } }),
    ),
    must("15.1", "an unknown path is 404", gets("/v1/nothing", { status: 404 })),
    should(
      "15.5.5",
      "404 says no more of another project's record than that it is not there",
      gets("/v1/plugins/pl_of_others", { status: 404 }, { as: "admin" }),
    ),
    must(
      "15.5.4",
      "403 for a credential that may not do it",
      gets("/v1/admin/keys", { status: 403 }, { as: "run" }),
    ),
    shouldNot("17.9", "a credential in a query is accepted", async (world) =>
      check(world, await send(world, { path: `/v1/tools?access_token=${world.keys.run}` }), { status: 401 }),
    ),
    must(
      "16.3.1",
      "field names of ours are registered or prefixed: an answer identifies its request",
      gets("/v1/health", { headers: { "x-request-id": /^\w+$/ } }),
    ),
    must(
      "7.6.1",
      "connection-specific fields of a request are not repeated in the answer",
      gets("/v1/health", { headers: { upgrade: null, te: null } }),
    ),
  ],
};

async function mcpAccept(world: World, accept: string, type: RegExp): Promise<void> {
  const answer = await send(world, {
    path: world.gateways.keys,
    as: "run",
    headers: { accept, "x-user-id": "alice" },
    body: { jsonrpc: "2.0", id: 1, method: "ping" },
  });
  await check(world, answer, { status: 200, headers: { "content-type": type }, body: '"result":{}' });
}
