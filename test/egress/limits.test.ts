import { describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { startDeadline } from "../../src/egress/limits";
import { egressWith, failureOf, names, rawPeer, webPeer } from "./peers";

const MIB = 1_048_576;

describe("size", () => {
  const sized = (bytes: number, headers: Record<string, string> = {}) =>
    webPeer(() => new Response(new Uint8Array(bytes), { headers }));

  test("a response of exactly the limit is read, one byte more is refused", async () => {
    using exact = sized(1_000);
    using more = sized(1_001);
    const egress = egressWith({ maxBytes: 1_000 });
    expect((await (await egress.fetch(exact.origin)).bytes()).length).toBe(1_000);
    const error = await failureOf(egress.fetch(more.origin));
    expect([error.reason, error.maybeSent]).toEqual(["too_large", true]);
    expect(error.message).toContain("raise egress.max_bytes (RUNTIME_EGRESS_MAX_BYTES)");
  });

  test("the limit of a request replaces the setting, also in the message", async () => {
    using peer = sized(1_001);
    const error = await failureOf(egressWith().fetch(peer.origin, { maxBytes: 1_000 }));
    expect(error.reason).toBe("too_large");
    expect(error.message).not.toContain("egress.max_bytes");
  });

  test("chunks are counted", async () => {
    using peer = webPeer(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              controller.enqueue(new Uint8Array(600));
            },
          }),
        ),
    );
    const error = await failureOf(egressWith({ maxBytes: 100_000 }).fetch(peer.origin));
    expect(error.reason).toBe("too_large");
  });

  test("a wrong Content-Length does not disable the limit", async () => {
    using peer = await rawPeer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (let count = 0; count < 100; count++) socket.write(`64\r\n${"x".repeat(100)}\r\n`);
      socket.write("0\r\n\r\n");
    });
    const error = await failureOf(egressWith({ maxBytes: 1_000 }).fetch(`http://127.0.0.1:${peer.port}/`));
    expect(error.reason).toBe("too_large");
  });

  const zeros = Buffer.alloc(64 * MIB);
  test.each([
    ["gzip", gzipSync(zeros)],
    ["deflate", deflateSync(zeros)],
    ["br", brotliCompressSync(zeros, { params: {} })],
    ["zstd", zstdCompressSync(zeros)],
  ])("a %s bomb stops at the limit", async (encoding, bomb) => {
    using peer = webPeer(() => new Response(bomb, { headers: { "content-encoding": encoding } }));
    const egress = egressWith({ maxBytes: MIB });
    const error = await failureOf(egress.fetch(peer.origin));
    expect(bomb.length).toBeLessThan(MIB);
    expect(error.reason).toBe("too_large");
  });
});

describe("time", () => {
  test("a server that accepts and does not answer", async () => {
    using peer = await rawPeer(() => undefined);
    const egress = egressWith({ timeoutMs: 60 });
    const error = await failureOf(
      egress.fetch(`http://127.0.0.1:${peer.port}/?q=CANARY`, { method: "POST" }),
    );
    expect([error.reason, error.maybeSent]).toEqual(["timeout", true]);
    expect(error.message).toBe(
      `http://127.0.0.1:${peer.port} did not answer within 0.06 s. Ask for less, or raise egress.timeout (RUNTIME_EGRESS_TIMEOUT).`,
    );
  });

  test("the limit covers the body: slow chunks do not extend it", async () => {
    using peer = webPeer(
      () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              controller.enqueue(new Uint8Array(1));
              await Bun.sleep(10);
            },
          }),
        ),
    );
    const error = await failureOf(egressWith().fetch(peer.origin, { timeoutMs: 80 }));
    expect([error.reason, error.maybeSent]).toEqual(["timeout", true]);
    expect(error.message).not.toContain("egress.timeout");
  });

  test("the limit covers a declared body that does not arrive", async () => {
    using peer = await rawPeer((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"));
    const error = await failureOf(egressWith({ timeoutMs: 80 }).fetch(`http://127.0.0.1:${peer.port}/`));
    expect([error.reason, error.maybeSent]).toEqual(["timeout", true]);
  });

  test("the limit covers all hops together", async () => {
    using peer = webPeer(async () => {
      await Bun.sleep(40);
      return new Response(null, { status: 302, headers: { location: "/" } });
    });
    const error = await failureOf(egressWith({ timeoutMs: 100 }).fetch(peer.origin, { redirects: "follow" }));
    expect(error.reason).toBe("timeout");
  });

  test("a complete exchange can no longer time out or be aborted", async () => {
    const caller = new AbortController();
    const deadline = startDeadline(10, caller.signal);
    deadline[Symbol.dispose]();
    using later = startDeadline(10, undefined);
    while (later.ended() === undefined) await Bun.sleep(1);
    caller.abort();
    expect(deadline.ended()).toBeUndefined();
  });
});

describe("the caller's signal", () => {
  test("already aborted: nothing is sent", async () => {
    using peer = await rawPeer(() => undefined);
    const call = egressWith().fetch(`http://127.0.0.1:${peer.port}/`, {
      signal: AbortSignal.abort("CANARY"),
    });
    const error = await failureOf(call);
    expect([error.reason, error.maybeSent, peer.connections]).toEqual(["aborted", false, 0]);
    expect(error.message).not.toContain("CANARY");
  });

  test("during the name lookup: nothing is sent", async () => {
    const caller = new AbortController();
    const egress = egressWith({ resolve: () => new Promise(() => caller.abort()) });
    const error = await failureOf(egress.fetch("https://slow.example/", { signal: caller.signal }));
    expect([error.reason, error.maybeSent]).toEqual(["aborted", false]);
  });

  test("while waiting for the response: it may have been sent, and the connection is closed", async () => {
    const caller = new AbortController();
    const closed = Promise.withResolvers<boolean>();
    using peer = await rawPeer((socket) => {
      socket.on("close", () => closed.resolve(true));
      caller.abort();
    });
    const error = await failureOf(
      egressWith().fetch(`http://127.0.0.1:${peer.port}/`, { signal: caller.signal }),
    );
    expect([error.reason, error.maybeSent]).toEqual(["aborted", true]);
    expect(await closed.promise).toBe(true);
  });

  test("while the body is read", async () => {
    const caller = new AbortController();
    using peer = await rawPeer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
      setTimeout(() => caller.abort(), 30);
    });
    const egress = egressWith({ resolve: names({}) });
    const error = await failureOf(egress.fetch(`http://127.0.0.1:${peer.port}/`, { signal: caller.signal }));
    expect([error.reason, error.maybeSent]).toEqual(["aborted", true]);
  });
});
