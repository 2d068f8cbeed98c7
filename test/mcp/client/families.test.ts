// Which revision a server speaks, and what the client remembers of it.
import { describe, expect, test } from "bun:test";
import { systemClock } from "../../../src/base";
import { McpClient, ProtocolError, StatusError } from "../../../src/mcp/client";
import { failure, reply, TEXT, Upstream, type UpstreamOptions } from "../../support/mcp-upstream";
import { peerOf } from "./peer";

const echo = { "tools/call": ({ params }: { params: object }) => TEXT(JSON.stringify(params)) } as never;
const call = { name: "echo", arguments: { a: 1 } };

function upstream(options: UpstreamOptions = {}): Upstream {
  return new Upstream({ methods: echo, ...options });
}

describe("a server of revision 2026-07-28", () => {
  test("is asked without a session, with version and capabilities in each request", async () => {
    await using server = upstream({ family: "modern", instructions: "be nice" });
    const peer = peerOf(server.url);

    await peer.request("tools/call", call);

    expect(server.methodsSeen()).toEqual(["server/discover", "tools/call"]);
    expect(server.faults).toEqual([]);
    expect(await peer.facts()).toMatchObject({
      modern: true,
      version: "2026-07-28",
      instructions: "be nice",
      info: { name: "upstream", version: "1.2.3" },
    });
  });

  test("that refuses the version first, and names it, is asked again", async () => {
    let refused = 0;
    await using server = upstream({
      family: "modern",
      before: () =>
        refused++ === 0
          ? failure(1, -32022, "no", { status: 400, data: { supported: ["2026-07-28"], requested: "x" } })
          : undefined,
    });

    await peerOf(server.url).request("tools/call", call);

    expect(server.methodsSeen()).toEqual(["server/discover", "tools/call"]);
  });
});

describe("a server with sessions", () => {
  test.each(["2025-11-25", "2025-06-18", "2025-03-26"])(
    "of revision %s gets a valid handshake",
    async (version) => {
      await using server = upstream({ version });

      await peerOf(server.url).request("tools/call", call);

      expect(server.methodsSeen()).toEqual([
        "server/discover",
        "initialize",
        "notifications/initialized",
        "tools/call",
      ]);
      expect(server.faults).toEqual([]);
    },
  );

  test("may have no session ids", async () => {
    await using server = upstream({ stateless: true });
    const peer = peerOf(server.url);

    await peer.request("tools/call", call);
    await peer.request("tools/call", call);

    expect(server.calls("initialize")).toHaveLength(1);
    expect(server.calls("tools/call").map(({ headers }) => headers.get("mcp-protocol-version"))).toEqual([
      "2025-11-25",
      "2025-11-25",
    ]);
  });

  const REFUSALS: [string, () => Response][] = [
    ["400 with text", () => new Response("bad", { status: 400 })],
    ["404", () => new Response("no", { status: 404 })],
    ["405", () => new Response(null, { status: 405 })],
    ["406", () => new Response("no", { status: 406 })],
    ["500 with HTML", () => new Response("<h1>oops</h1>", { status: 500 })],
    ["200 with HTML", () => new Response("<h1>hi</h1>", { headers: { "content-type": "text/html" } })],
    ["202 without a body", () => new Response(null, { status: 202 })],
    ["-32601", () => failure(1, -32601, "Method not found")],
    ["-32600 with status 400", () => failure(null, -32600, "no", { status: 400 })],
    ["-32602", () => failure(1, -32602, "no")],
    ["-32000 with status 400", () => failure(null, -32000, "Server not initialized", { status: 400 })],
    ["a result of another kind", () => reply(1, {})],
  ];

  test.each(REFUSALS)("may refuse the newer family with %s", async (_name, refusal) => {
    let asked = 0;
    await using server = upstream({ before: () => (asked++ === 0 ? refusal() : undefined) });

    await peerOf(server.url).request("tools/call", call);

    expect(server.methodsSeen()[0]).toBe("initialize");
  });

  test("of an unknown revision is an error that names it", async () => {
    await using server = upstream({ version: "2031-01-01" });

    const failed = peerOf(server.url).request("tools/call", call);

    await expect(failed).rejects.toThrow(
      'The server speaks protocol version "2031-01-01", which is not supported.',
    );
    await expect(failed).rejects.toBeInstanceOf(ProtocolError);
  });
});

test.each([401, 403, 429, 503])("a status of %p says nothing about the family", async (status) => {
  await using server = upstream({ before: () => new Response("", { status }) });

  const failed = peerOf(server.url).request("tools/call", call);

  await expect(failed).rejects.toBeInstanceOf(StatusError);
  await expect(failed).rejects.toMatchObject({ status });
});

describe("the family", () => {
  test("is remembered for all users of a server", async () => {
    await using server = upstream();
    const client = new McpClient(systemClock);

    await peerOf(server.url, { session: "alice" }, client).request("tools/call", call);
    await peerOf(server.url, { session: "bob" }, client).request("tools/call", call);

    expect(server.calls("server/discover")).toHaveLength(1);
    expect(server.calls("initialize")).toHaveLength(2);
  });

  test("is asked for again after a day", async () => {
    await using server = upstream({ family: "modern" });
    let now = 1_000_000;
    const client = new McpClient({ ...systemClock, now: () => now });

    await peerOf(server.url, {}, client).request("tools/call", call);
    now += 24 * 3_600_000;
    await peerOf(server.url, {}, client).request("tools/call", call);

    expect(server.calls("server/discover")).toHaveLength(2);
  });

  test.each([
    ["legacy", "modern"],
    ["modern", "legacy"],
  ] as const)("that changes from %s to %s costs no call", async (from, to) => {
    await using server = upstream({ family: from });
    const client = new McpClient(systemClock);
    await peerOf(server.url, {}, client).request("tools/call", call);

    server.options = { ...server.options, family: to };
    server.sessions.clear();

    expect(await peerOf(server.url, {}, client).request("tools/call", call)).toMatchObject(
      TEXT(expect.stringContaining("echo")),
    );
    expect(await peerOf(server.url, {}, client).facts()).toMatchObject({ modern: to === "modern" });
  });
});
