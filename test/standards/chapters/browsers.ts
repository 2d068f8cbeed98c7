// What browsers ask for and read: cross-origin requests (Fetch) and server-sent events (HTML).
import { expect } from "bun:test";
import { startSite } from "../../support/site";
import { asks, check, type Expected, gets } from "../exchange";
import { type Chapter, must, mustNot, type Proof, should } from "../ledger";
import { call, modernMessage, post } from "../mcp";
import type { World } from "../world";

const LOCAL = "http://localhost:3000";
const EVIL = "https://evil.example";
const METADATA = "/.well-known/oauth-protected-resource/mcp/tokens";
const ASKED = "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name";

function preflight(path: string, origin: string, expected: Expected, method = "POST", names = ASKED): Proof {
  const headers = {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": names,
  };
  return asks({ method: "OPTIONS", path, headers }, expected);
}

const read = (path: string, origin: string, expected: Expected, more = {}): Proof =>
  gets(path, expected, { headers: { origin }, ...more });
const ping = (world: World, origin: string) =>
  post(world, { message: { jsonrpc: "2.0", id: 1, method: "ping" }, headers: { origin } });

/** The same at a deployment that allows an origin. */
function allowing(origin: string, look: (url: string) => Promise<unknown>): Proof {
  return async () => {
    await using site = await startSite({ environment: { RUNTIME_CORS_ALLOW: origin } });
    await look(site.url);
  };
}
const APP = "https://app.example";

export const cors: Chapter = {
  id: "Fetch",
  title: "Fetch: the CORS protocol",
  url: "https://fetch.spec.whatwg.org/#http-cors-protocol",
  rows: [
    must(
      "3.3.2",
      "a page of another origin cannot read the API by default",
      read("/v1/health", EVIL, { status: 200, headers: { "access-control-allow-origin": null } }),
    ),
    must(
      "3.3.2",
      "a preflight of another origin gets no permission",
      preflight("/v1/tools/execute", EVIL, {
        headers: { "access-control-allow-origin": null, "access-control-allow-methods": null },
      }),
    ),
    must(
      "3.3.3",
      "an allowed origin is named in the answer",
      allowing(APP, async (url) => {
        const { headers } = await fetch(`${url}/v1/health`, { headers: { origin: APP } });
        expect(headers.get("access-control-allow-origin")).toBe(APP);
      }),
    ),
    must(
      "3.3.3",
      "the answer to a preflight names the methods",
      allowing(APP, async (url) => {
        const { headers } = await fetch(`${url}/v1/tools/execute`, {
          method: "OPTIONS",
          headers: { origin: APP, "access-control-request-method": "POST" },
        });
        expect(headers.get("access-control-allow-methods")).toContain("POST");
      }),
    ),
    must(
      "3.3.3",
      "the answer to a preflight names the headers that were asked for",
      preflight("/mcp/keys", LOCAL, { headers: { "access-control-allow-headers": ASKED } }),
    ),
    mustNot(
      "3.3.3",
      "credentials of the browser are allowed",
      preflight("/mcp/keys", LOCAL, { headers: { "access-control-allow-credentials": null } }),
    ),
    should(
      "3.3.3",
      "a preflight may be kept for some time",
      preflight("/mcp/keys", LOCAL, { headers: { "access-control-max-age": /^\d+$/ } }),
    ),
    must("3.3.3", "headers that pages may read are named: session, challenge, retry", async (world) => {
      const { headers } = await ping(world, LOCAL);
      for (const name of ["mcp-session-id", "www-authenticate", "retry-after", "x-request-id"])
        expect(headers.get("access-control-expose-headers")).toContain(name);
    }),
    must("3.3.2", "the status of a preflight is ok", preflight("/mcp/keys", LOCAL, { status: 204 })),
    must("3.3.5", "an answer that depends on the origin says Vary: Origin", async (world) =>
      expect((await ping(world, LOCAL)).headers.get("vary")).toContain("origin"),
    ),
    must(
      "MCP",
      "a local page may call a gateway of a developer's machine: preflight",
      preflight("/mcp/keys", LOCAL, {
        status: 204,
        headers: { "access-control-allow-origin": LOCAL, "access-control-allow-methods": /POST/ },
      }),
    ),
    must("MCP", "a local page may call a gateway of a developer's machine: answer", async (world) =>
      check(world, await ping(world, LOCAL), {
        status: 200,
        headers: { "access-control-allow-origin": LOCAL },
      }),
    ),
    must(
      "MCP",
      "a local page may read that there is no stream without a session: GET",
      preflight(
        "/mcp/keys",
        LOCAL,
        { status: 204, headers: { "access-control-allow-methods": /GET/ } },
        "GET",
      ),
    ),
    must(
      "MCP",
      "a local page may read the error of a call without a credential",
      asks(
        { path: "/mcp/tokens", headers: { origin: LOCAL }, body: {} },
        { status: 401, headers: { "access-control-allow-origin": LOCAL } },
      ),
    ),
    mustNot(
      "MCP",
      "a page of another site may call a gateway: preflight",
      preflight("/mcp/keys", EVIL, { status: 403, headers: { "access-control-allow-origin": null } }),
    ),
    mustNot("MCP", "a page of another site may call a gateway: call", async (world) =>
      check(world, await ping(world, EVIL), {
        status: 403,
        headers: { "access-control-allow-origin": null },
      }),
    ),
    mustNot(
      "MCP",
      "a name that looks local is one",
      preflight("/mcp/keys", "http://localhost.evil.example", {
        status: 403,
        headers: { "access-control-allow-origin": null },
      }),
    ),
    must(
      "RFC 9728, 3",
      "metadata may be read by pages of any origin",
      read(METADATA, EVIL, { status: 200, headers: { "access-control-allow-origin": "*" } }),
    ),
    must(
      "RFC 9728, 3",
      "metadata may be read with headers that need a preflight",
      preflight(
        METADATA,
        EVIL,
        {
          status: 204,
          headers: { "access-control-allow-origin": "*", "access-control-allow-methods": /GET/ },
        },
        "GET",
        "mcp-protocol-version",
      ),
    ),
    must(
      "RFC 9728, 3",
      "the second address of metadata is readable too",
      read("/mcp/tokens/.well-known/oauth-protected-resource", EVIL, {
        status: 200,
        headers: { "access-control-allow-origin": "*" },
      }),
    ),
    must(
      "RFC 9728, 3",
      "that there is no metadata is readable too",
      read("/.well-known/oauth-protected-resource/mcp/keys", EVIL, {
        status: 404,
        headers: { "access-control-allow-origin": "*" },
      }),
    ),
    mustNot(
      "3.3.2",
      "OPTIONS without the method of a request is a preflight",
      asks(
        { method: "OPTIONS", path: "/mcp/keys", headers: { origin: LOCAL } },
        { status: 204, headers: { "access-control-allow-methods": null, allow: "GET, OPTIONS, POST" } },
      ),
    ),
  ],
};

const streamed = async (world: World) => {
  const answer = await post(
    world,
    modernMessage("tools/call", call("test_tool_with_progress"), { meta: { progressToken: "p" } }),
  );
  expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
  return answer;
};
const stream =
  (look: (text: string, headers: Headers) => unknown): Proof =>
  async (world) => {
    const { text, headers } = await streamed(world);
    await look(text, headers);
  };

export const events: Chapter = {
  id: "Server-sent events",
  title: "HTML: server-sent events",
  url: "https://html.spec.whatwg.org/multipage/server-sent-events.html",
  rows: [
    must(
      "9.2.5",
      "a stream is UTF-8",
      stream((text) => expect(text.isWellFormed()).toBe(true)),
    ),
    must(
      "9.2.2",
      "its type is text/event-stream",
      stream((_text, headers) => expect(headers.get("content-type")).toBe("text/event-stream")),
    ),
    must(
      "9.2.5",
      "an event ends with an empty line",
      stream((text) => expect(text).toEndWith("\n\n")),
    ),
    must(
      "9.2.5",
      "each line is a field, a comment, or empty",
      stream((text) => {
        for (const line of text.split("\n")) expect(line).toMatch(/^(?:|:.*|(?:event|data|id|retry):.*)$/);
      }),
    ),
    must(
      "9.2.6",
      "data holds one message",
      stream((text) => {
        for (const [, data = ""] of text.matchAll(/^data: (.*)$/gm))
          expect(JSON.parse(data)).toHaveProperty("jsonrpc", "2.0");
      }),
    ),
    must(
      "9.2.6",
      "a message has no line end inside data",
      stream((text) =>
        expect(text.split("\n\n").every((event) => (event.match(/^data:/gm) ?? []).length <= 1)).toBe(true),
      ),
    ),
    must(
      "9.2.6",
      "the type of an event is message",
      stream((text) => expect(text).toStartWith("event: message\n")),
    ),
    should(
      "9.2.7",
      "a stream is not stored or changed on its way",
      stream((_text, headers) => expect(headers.get("cache-control")).toBe("no-cache, no-transform")),
    ),
    should("9.2.7", "a silent stream is kept open by comments, which clients ignore", async () => {
      const { EventStream } = await import("../../../server/mcp/events");
      const kept = new EventStream(1000, () => undefined);
      kept.comment();
      kept.close();
      expect(await kept.response().text()).toStartWith(":");
    }),
    must("9.2.6", "our own reader joins lines of data", reads("data: a\ndata: b\n\n", ["a\nb"])),
    must(
      "9.2.6",
      "our own reader takes CRLF, CR and LF",
      reads("data: a\r\n\r\ndata: b\r\rdata: c\n\n", ["a", "b", "c"]),
    ),
    must(
      "9.2.6",
      "our own reader removes one space after the colon",
      reads("data:  a\n\ndata:b\n\n", [" a", "b"]),
    ),
    must(
      "9.2.6",
      "our own reader ignores comments and unknown fields",
      reads(": x\nfoo: y\nid: 1\nretry: 5\ndata: a\n\n", ["a"]),
    ),
    must("9.2.6", "our own reader takes a field without a colon as an empty value", reads("data\n\n", [""])),
    must(
      "9.2.6",
      "our own reader drops an event that the stream ends before",
      reads("data: a\n\ndata: b\n", ["a"]),
    ),
    must("9.2.6", "an event without data is none", reads("event: x\n\ndata: a\n\n", ["a"])),
  ],
};

/** Byte by byte, which is the worst way in which a stream can arrive. */
function reads(text: string, wanted: string[]): Proof {
  return async () => {
    const { eventData } = await import("../../../cli/server-events");
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for (const byte of new TextEncoder().encode(text)) yield new Uint8Array([byte]);
    }
    const read: string[] = [];
    for await (const data of eventData(bytes())) read.push(data);
    expect(read).toEqual(wanted);
  };
}
