// Responses as bytes: what is read from a streamed one, however it is cut, and what is not HTTP.
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "bun:test";
import { EgressError } from "../../src/egress";
import { egressWith, failureOf, type RawPeer, rawPeer, webPeer } from "./peers";

const STREAMS = { streams: true } as const;
const urlOf = ({ port }: RawPeer): string => `http://127.0.0.1:${port}/`;

/** A server that sends these bytes, in pieces of this size, and closes the connection. */
const sending = (bytes: string | Buffer, size = Infinity): Promise<RawPeer> =>
  rawPeer(async (socket) => {
    const all = Buffer.from(bytes);
    socket.setNoDelay(true);
    for (let at = 0; at < all.byteLength; at += size) {
      socket.write(all.subarray(at, at + size));
      if (size < 1000) await Bun.sleep(0);
    }
    socket.end();
  });

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

describe.each([
  ["at once", Infinity],
  ["byte by byte", 1],
])("%s", (_name, size) => {
  test.each([
    ["chunks", `${CHUNKED}5\r\nfirst\r\n6;a="b"\r\nsecond\r\n0\r\n\r\n`, "firstsecond"],
    ["chunks with a trailer", `${CHUNKED}1\r\na\r\n0\r\nx-sum: 1\r\n\r\n`, "a"],
    ["chunks with long sizes", `${CHUNKED}0000A\r\n0123456789\r\n00\r\n\r\n`, "0123456789"],
    ["a length", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcdef", "abc"],
    ["equal lengths", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 3\r\n\r\nabc", "abc"],
    ["the end of the connection", "HTTP/1.1 200 OK\r\n\r\nabc", "abc"],
    ["a reason that is empty", "HTTP/1.1 200\r\ncontent-length: 1\r\n\r\na", "a"],
    [
      "an informational head first",
      `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${CHUNKED}1\r\na\r\n0\r\n\r\n`,
      "a",
    ],
    ["nothing", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", ""],
    ["a status without a body", "HTTP/1.1 204 No Content\r\n\r\nabc", ""],
  ])("%s", async (_what, bytes, text) => {
    using peer = await sending(bytes, size);
    const response = await egressWith().fetch(urlOf(peer), STREAMS);
    expect(await response.text()).toBe(text);
  });

  test.each([
    ["something else", "SSH-2.0-OpenSSH_9.6\r\n\r\n"],
    ["an unknown version", "HTTP/3 200 OK\r\n\r\n"],
    ["a broken header", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n"],
    ["a folded header", "HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n"],
    ["a space before the colon", "HTTP/1.1 200 OK\r\ncontent-length : 3\r\n\r\nabc"],
    ["lengths that differ", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd"],
    ["a negative length", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"],
    ["an unknown coding", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n"],
    ["an unknown encoding", "HTTP/1.1 200 OK\r\ncontent-encoding: x\r\ncontent-length: 1\r\n\r\na"],
    ["no answer at all", ""],
    ["half a head", "HTTP/1.1 200 OK\r\ncontent-len"],
    ["a status that is not one", "HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n"],
  ])("%s is an error, and counts as sent", async (_what, bytes) => {
    using peer = await sending(bytes, size);
    const failure = await failureOf(
      egressWith().fetch(urlOf(peer), { ...STREAMS, method: "POST", body: "x" }),
    );
    expect([failure.reason, failure.maybeSent]).toEqual(["unreachable", true]);
  });

  test.each([
    ["half a chunk", `${CHUNKED}5\r\nab`],
    ["no last chunk", `${CHUNKED}2\r\nab\r\n`],
    ["a size that is not one", `${CHUNKED}2\r\nab\r\nxyz\r\n`],
    ["a chunk that is longer than its size", `${CHUNKED}2\r\nabc\r\n0\r\n\r\n`],
    ["less than its length", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab"],
  ])("%s rejects the reader after what came before", async (_what, bytes) => {
    using peer = await sending(bytes, size);
    const response = await egressWith().fetch(urlOf(peer), STREAMS);
    const { text, failure } = await drained(response);
    expect([text, failure?.reason, failure?.maybeSent]).toEqual(["ab", "unreachable", true]);
  });
});

test("a head without an end is refused", async () => {
  using peer = await rawPeer((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const more = (): void => {
      if (!socket.destroyed && socket.write(`x: ${"y".repeat(1000)}\r\n`)) setImmediate(more);
      else socket.once("drain", more);
    };
    more();
  });
  expect((await failureOf(egressWith().fetch(urlOf(peer), STREAMS))).reason).toBe("unreachable");
});

test.each([
  ["gzip", gzipSync("plain text")],
  ["br", brotliCompressSync("plain text")],
])("a body that is compressed all the same is decompressed (%s)", async (encoding, bytes) => {
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${bytes.byteLength}\r\n\r\n`;
  using peer = await sending(Buffer.concat([Buffer.from(head), bytes]));
  const response = await egressWith().fetch(urlOf(peer), STREAMS);
  expect([await response.text(), response.headers.get("content-encoding")]).toEqual(["plain text", null]);
  expect(peer.received.join("")).toContain("accept-encoding: identity");
});

test("a small body that decompresses to a large one stops at the limit of size", async () => {
  const bytes = gzipSync(Buffer.alloc(50_000_000));
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bytes.byteLength}\r\n\r\n`;
  using peer = await sending(Buffer.concat([Buffer.from(head), bytes]));
  const response = await egressWith().fetch(urlOf(peer), STREAMS);
  const { text, failure } = await drained(response);
  expect([failure?.reason, text.length < 1_100_000]).toEqual(["too_large", true]);
});

test("a large request arrives whole", async () => {
  const body = "é".repeat(2_000_000);
  using peer = webPeer(() => new Response("read"));
  await egressWith().fetch(peer.origin, { ...STREAMS, method: "POST", body });
  expect(peer.requests[0]?.body === body).toBe(true);
});

test("nothing is received that is not read", async () => {
  let sent = 0;
  const total = 100_000_000;
  using peer = await rawPeer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`);
    const go = (): void => {
      while (sent < total) {
        sent += 1_000_000;
        if (!socket.write(Buffer.alloc(1_000_000))) return void socket.once("drain", go);
      }
    };
    go();
  });
  const response = await egressWith({ maxBytes: total }).fetch(urlOf(peer), STREAMS);
  const reader = response.body?.getReader();
  const first = await reader?.read();
  for (let before = -1; sent !== before;) {
    before = sent;
    await Bun.sleep(300);
  }
  expect(sent).toBeLessThan(total);
  let received = first?.value?.byteLength ?? 0;
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
    received += next.value.byteLength;
  expect(received).toBe(total);
});

async function drained(response: Response): Promise<{ text: string; failure: EgressError | undefined }> {
  let text = "";
  try {
    for await (const piece of response.body ?? []) text += new TextDecoder().decode(piece);
    return { text, failure: undefined };
  } catch (thrown) {
    if (thrown instanceof EgressError) return { text, failure: thrown };
    throw thrown;
  }
}
