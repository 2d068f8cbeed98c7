// Connections of streamed requests are used again, but only where nothing of one response can get into another.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { egressWith, names, type RawPeer, rawPeer } from "./peers";
import { type Authority, createAuthority, startTlsPeer } from "./tls-peer";

const STREAMS = { streams: true } as const;
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const urlOf = ({ port }: RawPeer): string => `http://127.0.0.1:${port}/`;

describe("a connection", () => {
  test.each([
    ["a length", OK],
    ["chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
  ])("is used again after a response with %s", async (_name, bytes) => {
    using peer = await rawPeer((socket) => void socket.write(bytes));
    const egress = egressWith();
    for (let count = 0; count < 3; count++)
      expect(await (await egress.fetch(urlOf(peer), STREAMS)).text()).toBe("ok");
    expect([peer.connections, peer.received.length]).toEqual([1, 3]);
  });

  test.each([
    ["that says so", "HTTP/1.1 200 OK\r\nconnection: Close\r\ncontent-length: 2\r\n\r\nok"],
    ["of HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok"],
    ["that is followed by more", `${OK}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`],
    [
      "in chunks that is followed by more",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ],
  ])("is closed after a response %s", async (_name, bytes) => {
    using peer = await rawPeer((socket) => void socket.write(bytes));
    const egress = egressWith();
    for (let count = 0; count < 2; count++)
      expect(await (await egress.fetch(urlOf(peer), STREAMS)).text()).toBe("ok");
    expect(peer.connections).toBe(2);
  });

  test("is closed when something arrives while nothing was asked for, or when the server closes it", async () => {
    for (const end of ["more", "close"]) {
      using peer = await rawPeer((socket) => {
        socket.write(OK);
        setTimeout(() => (end === "more" ? socket.write(OK) : socket.end()), 30);
      });
      const egress = egressWith();
      await (await egress.fetch(urlOf(peer), STREAMS)).text();
      await Bun.sleep(150);
      expect(await (await egress.fetch(urlOf(peer), STREAMS)).text()).toBe("ok");
      expect(peer.connections).toBe(2);
    }
  });

  test("whose response was not read to its end is closed", async () => {
    using peer = await rawPeer((socket) => void socket.write(OK));
    const egress = egressWith();
    await (await egress.fetch(urlOf(peer), STREAMS)).body?.cancel();
    expect(await (await egress.fetch(urlOf(peer), STREAMS)).text()).toBe("ok");
    expect(peer.connections).toBe(2);
  });

  test("belongs to its next request only: the caller of the first one cannot close it", async () => {
    const more = Promise.withResolvers<void>();
    using peer = await rawPeer((socket, _piece, { received }) => {
      if (received.length === 1) return void socket.write(OK);
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no");
      void more.promise.then(() => socket.write("k"));
    });
    const egress = egressWith();
    const first = new AbortController();
    await (await egress.fetch(urlOf(peer), { ...STREAMS, signal: first.signal })).text();
    const second = await egress.fetch(urlOf(peer), STREAMS);
    first.abort();
    more.resolve();
    expect([await second.text(), peer.connections]).toEqual(["ok", 1]);
  });

  test("is one for each response that is read at the same time", async () => {
    using peer = await rawPeer((socket) => void socket.write(OK));
    const egress = egressWith();
    const both = [await egress.fetch(urlOf(peer), STREAMS), await egress.fetch(urlOf(peer), STREAMS)];
    expect(await Promise.all(both.map((response) => response.text()))).toEqual(["ok", "ok"]);
    expect(peer.connections).toBe(2);
  });
});

describe("a connection with TLS", () => {
  let authority: Authority;
  beforeAll(() => {
    authority = createAuthority();
  });
  afterAll(() => authority[Symbol.dispose]());

  test("is used again only for the name that was checked, and by those who trust its authority", async () => {
    using peer = await startTlsPeer(authority);
    const ca = readFileSync(authority.certificate, "utf8");
    const egress = egressWith({ resolve: names({ "a.example": ["127.0.0.1"], "b.example": ["127.0.0.1"] }) });
    const connectionOf = async (host: string): Promise<unknown> => {
      const response = await egress.fetch(`https://${host}:${peer.port}/`, { ...STREAMS, tls: { ca } });
      const [connection]: unknown[] = JSON.parse(await response.text());
      return connection;
    };
    expect([
      await connectionOf("a.example"),
      await connectionOf("a.example"),
      await connectionOf("b.example"),
    ]).toEqual([1, 1, 2]);
    const distrusting = egress.fetch(`https://a.example:${peer.port}/`, STREAMS);
    expect(await distrusting.catch((error: unknown) => error)).toMatchObject({ reason: "tls" });
  });
});
