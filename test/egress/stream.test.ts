// Streamed bodies: the same policy and limits apply while they are read.
import { describe, expect, test } from "bun:test";
import { EgressError } from "../../src/egress";
import { egressWith, failureOf, rawPeer, webPeer } from "./peers";

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

describe("a streamed response", () => {
  test("resolves with its head, and its chunks arrive as they are sent", async () => {
    const pieces = Promise.withResolvers<void>();
    using peer = await rawPeer((socket) => {
      socket.write(`${HEAD}5\r\nfirst\r\n`);
      void pieces.promise.then(() => socket.write("6\r\nsecond\r\n0\r\n\r\n"));
    });
    const response = await egressWith().fetch(`http://127.0.0.1:${peer.port}/`, { streams: true });
    const reader = bodyOf(response).getReader();
    const first = await reader.read();
    pieces.resolve();
    const second = await reader.read();
    expect([textOf(first.value), textOf(second.value), (await reader.read()).done]).toEqual([
      "first",
      "second",
      true,
    ]);
  });

  test("is refused by the address policy like any other", async () => {
    const failure = await failureOf(
      egressWith({ allow: [] }).fetch("http://127.0.0.1:1/", { streams: true }),
    );
    expect(failure.reason).toBe("address_refused");
  });

  test("of a redirect is an error", async () => {
    using peer = webPeer(() => new Response(null, { status: 302, headers: { location: "/else" } }));
    expect((await failureOf(egressWith().fetch(peer.origin, { streams: true }))).reason).toBe(
      "redirect_refused",
    );
  });

  test("may take longer than the time limit, but not between two chunks", async () => {
    using peer = await rawPeer((socket) => {
      socket.write(HEAD);
      for (let count = 1; count <= 4; count++) setTimeout(() => socket.write("1\r\nx\r\n"), count * 150);
    });
    const response = await egressWith().fetch(`http://127.0.0.1:${peer.port}/`, {
      streams: true,
      timeoutMs: 400,
    });
    const { text, failure } = await drained(response);
    expect([text, failure?.reason]).toEqual(["xxxx", "timeout"]);
  });

  test("that breaks in the middle rejects the reader", async () => {
    using peer = await rawPeer((socket) => {
      socket.write(`${HEAD}1\r\nx\r\n`);
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    const response = await egressWith().fetch(`http://127.0.0.1:${peer.port}/`, { streams: true });
    const { text, failure } = await drained(response);
    expect([text, failure?.reason, failure?.maybeSent]).toEqual(["x", "unreachable", true]);
  });

  test("larger than the size limit fails with an error", async () => {
    using peer = webPeer(() => new Response("x".repeat(100_000)));
    const response = await egressWith().fetch(peer.origin, { streams: true, maxBytes: 10_000 });
    expect((await drained(response)).failure?.reason).toBe("too_large");
  });

  test.each(["its reader cancels", "its caller aborts"])("closes the connection when %s", async (who) => {
    const closed = Promise.withResolvers<void>();
    using peer = await rawPeer((socket) => {
      socket.write(`${HEAD}1\r\nx\r\n`);
      socket.on("close", () => closed.resolve());
    });
    const caller = new AbortController();
    const response = await egressWith().fetch(`http://127.0.0.1:${peer.port}/`, {
      streams: true,
      signal: caller.signal,
    });
    const reader = bodyOf(response).getReader();
    await reader.read();
    if (who === "its caller aborts") caller.abort();
    else await reader.cancel();
    await closed.promise;
    expect(peer.connections).toBe(1);
  });
});

function bodyOf({ body }: Response): ReadableStream<Uint8Array> {
  if (body === null) throw new Error("no body");
  return body;
}

function textOf(piece: Uint8Array | undefined): string {
  return new TextDecoder().decode(piece);
}

async function drained(response: Response): Promise<{ text: string; failure: EgressError | undefined }> {
  let text = "";
  try {
    for await (const piece of bodyOf(response)) text += textOf(piece);
    return { text, failure: undefined };
  } catch (thrown) {
    if (thrown instanceof EgressError) return { text, failure: thrown };
    throw thrown;
  }
}
