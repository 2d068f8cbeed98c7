// One export through the real outbound client, with collectors that answer as they should not.
import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { Redacted } from "../../../src/base";
import { type Collector, encodingOf, type Outcome, send } from "../../../src/telemetry/traces/send";
import { egressWith, rawPeer } from "../../egress/peers";
import { startReceiver } from "./receiver";
import { finished, RESOURCE } from "./spans";

function collector(url: string, parts: Partial<Collector> = {}): Collector {
  return {
    endpoint: `${url}/v1/traces`,
    headers: {},
    encoding: encodingOf("http/protobuf", RESOURCE),
    compression: "none",
    timeoutMs: 3000,
    ...parts,
  };
}

function exported(to: Collector, signal = new AbortController().signal): Promise<Outcome> {
  const batch = to.encoding.batch();
  for (const name of ["span", "other"]) batch.add(finished({ name }));
  return send(egressWith(), to, batch, signal);
}

describe("spans arrive", () => {
  test.each([
    ["http/protobuf", "none"],
    ["http/protobuf", "gzip"],
    ["http/json", "none"],
    ["http/json", "gzip"],
  ] as const)("as %s with compression %s", async (protocol, compression) => {
    using receiver = startReceiver();
    const headers = { "api-key": new Redacted("of the collector") };
    const to = collector(receiver.url, { encoding: encodingOf(protocol, RESOURCE), compression, headers });
    expect(await exported(to)).toEqual({ is: "taken", rejected: 0 });
    expect(receiver.faults).toEqual([]);
    expect(receiver.spans.map(({ name }) => name)).toEqual(["span", "other"]);
    expect(receiver.requests.map(({ path, headers: sent }) => [path, sent.get("api-key")])).toEqual([
      ["/v1/traces", "of the collector"],
    ]);
  });
});

describe("an answer", () => {
  const answers: [string, () => Response, Outcome][] = [
    ["202 without a body", () => new Response(null, { status: 202 }), { is: "taken", rejected: 0 }],
    [
      "200 with a page",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      { is: "taken", rejected: 0 },
    ],
    [
      "200 with a part rejected, in JSON",
      () => Response.json({ partialSuccess: { rejectedSpans: "2", errorMessage: "no" } }),
      { is: "taken", rejected: 2 },
    ],
    [
      "200 with a warning",
      () => Response.json({ partialSuccess: { errorMessage: "soon" } }),
      { is: "taken", rejected: 0 },
    ],
    [
      "200 with nonsense in JSON",
      () => Response.json({ partialSuccess: { rejectedSpans: -7 } }),
      { is: "taken", rejected: 0 },
    ],
    [
      "200 with a part rejected, in protobuf",
      () =>
        new Response(Uint8Array.fromHex("0a020801"), {
          headers: { "content-type": "application/x-protobuf" },
        }),
      { is: "taken", rejected: 1 },
    ],
    ["400", () => new Response("no", { status: 400 }), { is: "refused", reason: "status 400" }],
    ["401", () => new Response(null, { status: 401 }), { is: "refused", reason: "status 401" }],
    ["404", () => new Response(null, { status: 404 }), { is: "refused", reason: "status 404" }],
    ["408", () => new Response(null, { status: 408 }), { is: "refused", reason: "status 408" }],
    ["500", () => new Response(null, { status: 500 }), { is: "refused", reason: "status 500" }],
    [
      "429",
      () => new Response(null, { status: 429 }),
      { is: "retry", reason: "status 429", afterMs: undefined },
    ],
    [
      "502",
      () => new Response(null, { status: 502 }),
      { is: "retry", reason: "status 502", afterMs: undefined },
    ],
    [
      "503 with a pause",
      () => new Response(null, { status: 503, headers: { "retry-after": "7" } }),
      { is: "retry", reason: "status 503", afterMs: 7000 },
    ],
    [
      "504 with a date in the past",
      () => new Response(null, { status: 504, headers: { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" } }),
      { is: "retry", reason: "status 504", afterMs: 0 },
    ],
    [
      "503 with a year",
      () => new Response(null, { status: 503, headers: { "retry-after": "31536000" } }),
      { is: "retry", reason: "status 503", afterMs: 300_000 },
    ],
    [
      "503 with nonsense",
      () => new Response(null, { status: 503, headers: { "retry-after": "soon" } }),
      { is: "retry", reason: "status 503", afterMs: undefined },
    ],
    [
      "a redirect",
      () => Response.redirect("http://127.0.0.1:1/v1/traces", 307),
      { is: "refused", reason: "redirect_refused" },
    ],
    ["a gigabyte", () => new Response(endless()), { is: "refused", reason: "too_large" }],
    [
      "a gigabyte in a megabyte",
      () => new Response(gzipSync(Buffer.alloc(16_000_000)), { headers: { "content-encoding": "gzip" } }),
      { is: "refused", reason: "too_large" },
    ],
  ];

  test.each(answers)("%s", async (_name, answer, outcome) => {
    using receiver = startReceiver({ answer });
    expect(await exported(collector(receiver.url))).toEqual(outcome);
    expect(receiver.requests).toHaveLength(1);
  });
});

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
}

describe("a collector", () => {
  test("that is not there can be asked again", async () => {
    using peer = await rawPeer(() => undefined);
    const { port } = peer;
    peer[Symbol.dispose]();
    expect(await exported(collector(`http://127.0.0.1:${port}`))).toEqual({
      is: "retry",
      reason: "unreachable",
      afterMs: undefined,
    });
  });

  test("that closes the connection can be asked again", async () => {
    using peer = await rawPeer((socket) => socket.destroy());
    const outcome = await exported(collector(`http://127.0.0.1:${peer.port}`));
    expect(outcome).toEqual({ is: "retry", reason: "unreachable", afterMs: undefined });
  });

  test("that says nothing can be asked again", async () => {
    using peer = await rawPeer(() => undefined);
    const to = collector(`http://127.0.0.1:${peer.port}`, { timeoutMs: 100 });
    expect(await exported(to)).toEqual({ is: "retry", reason: "timeout", afterMs: undefined });
  });

  test("that hangs is left at the end", async () => {
    const ending = new AbortController();
    using peer = await rawPeer(() => ending.abort());
    const outcome = await exported(collector(`http://127.0.0.1:${peer.port}`), ending.signal);
    expect(outcome).toEqual({ is: "refused", reason: "aborted" });
  });

  test("with an invalid status is refused", async () => {
    using peer = await rawPeer((socket) => socket.end("HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n"));
    expect((await exported(collector(`http://127.0.0.1:${peer.port}`))).is).toBe("retry");
  });
});
