// Streamed requests have connections of their own: the same rules of TLS, of addresses and of failures apply to them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { EgressRequest } from "../../src/egress";
import { egressWith, failureOf, names, printed, rawPeer, webPeer } from "./peers";
import type { Answer, Call } from "./tls-client";
import { type Authority, createAuthority, startTlsPeer } from "./tls-peer";

let authority: Authority;
let other: Authority;
let trusted: string;
beforeAll(() => {
  authority = createAuthority();
  other = createAuthority("DNS:a.example");
  trusted = readFileSync(authority.certificate, "utf8") + readFileSync(other.certificate, "utf8");
});
afterAll(() => {
  authority[Symbol.dispose]();
  other[Symbol.dispose]();
});

const STREAMS: EgressRequest = { method: "POST", body: "CANARY", streams: true };
const here = names({ "a.example": ["127.0.0.1"], "b.example": ["127.0.0.1"], "c.example": ["127.0.0.1"] });

describe("TLS", () => {
  test("a certificate that is not trusted fails before anything is sent", async () => {
    using peer = await startTlsPeer(authority);
    const error = await failureOf(
      egressWith({ resolve: here }).fetch(`https://a.example:${peer.port}/?CANARY`, STREAMS),
    );
    expect([error.reason, error.maybeSent]).toEqual(["tls", false]);
    expect(error.message).toContain("egress.ca_file");
    expect(printed(error)).not.toContain("CANARY");
    expect(peer.received).toEqual([]);
  });

  test("the environment cannot disable the check", async () => {
    using peer = await startTlsPeer(authority);
    const call: Call = { url: `https://a.example:${peer.port}/`, streams: true };
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "tls-client.ts"), JSON.stringify([call])],
      {
        env: { PATH: process.env["PATH"], NODE_TLS_REJECT_UNAUTHORIZED: "0" },
        stdout: "pipe",
        timeout: 8_000,
      },
    );
    const [answer]: Answer[] = JSON.parse(await child.stdout.text());
    expect(answer).toMatchObject({ reason: "tls", maybeSent: false });
  });

  test.each([
    ["a.example", "a.example"],
    ["b.example", "b.example"],
    ["a.example.", "a.example"],
    // No server name: it cannot be an address (RFC 6066, section 3).
    ["127.0.0.1", false],
  ])("the certificate is checked for %s, which is also the server name", async (host, name) => {
    using peer = await startTlsPeer(authority);
    const egress = egressWith({ resolve: here, authorities: trusted });
    const response = await egress.fetch(`https://${host}:${peer.port}/`, STREAMS);
    expect(JSON.parse(await response.text())).toEqual([1, name, `${host}:${peer.port}`]);
  });

  test.each([
    ["another name", "c.example", () => authority],
    ["an address that it does not have", "127.0.0.1", () => other],
  ])("a certificate for %s fails before anything is sent", async (_name, host, certificate) => {
    using peer = await startTlsPeer(certificate());
    const egress = egressWith({ resolve: here, authorities: trusted });
    const error = await failureOf(egress.fetch(`https://${host}:${peer.port}/`, STREAMS));
    expect([error.reason, error.maybeSent]).toEqual(["tls", false]);
    expect(error.message).toContain("is for another name");
    expect(peer.received).toEqual([]);
  });

  test("a certificate of the request is trusted instead of the defaults", async () => {
    using peer = await startTlsPeer(authority);
    const egress = egressWith({ resolve: here });
    const tls = { ca: readFileSync(authority.certificate, "utf8") };
    expect((await egress.fetch(`https://a.example:${peer.port}/`, { ...STREAMS, tls })).status).toBe(200);
  });

  test("https to a plain http port, and a broken handshake, count as possibly sent", async () => {
    using plain = webPeer(() => new Response("plain"));
    using broken = await rawPeer((socket) => socket.destroy());
    for (const { port } of [plain, broken]) {
      const error = await failureOf(egressWith().fetch(`https://127.0.0.1:${port}/`, STREAMS));
      expect(["tls", "unreachable"]).toContain(error.reason);
      expect(error.maybeSent).toBe(true);
    }
  });

  test.each([
    ["plain text", Buffer.from("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")],
    ["an unreadable record", Buffer.concat([Buffer.from([0x17, 3, 3, 0, 40]), Buffer.alloc(40, 7)])],
    ["an alert", Buffer.from([0x15, 3, 3, 0, 2, 2, 80])],
  ])("a request whose response %s replaces counts as sent", async (_what, bytes) => {
    using peer = await startTlsPeer(authority);
    // Forwards everything until the request has arrived.
    using box = await rawPeer((client, first) => {
      client.removeAllListeners("data");
      const upstream = connect(peer.port, "127.0.0.1");
      upstream.on("error", () => undefined);
      upstream.on("data", (piece) => void client.write(peer.received.length === 0 ? piece : bytes));
      upstream.write(first, "latin1");
      client.on("data", (piece) => void upstream.write(piece));
      client.on("close", () => upstream.destroy());
    });
    const egress = egressWith({ authorities: trusted, timeoutMs: 2000 });
    const error = await failureOf(egress.fetch(`https://127.0.0.1:${box.port}/`, STREAMS));
    expect(peer.received.join("")).toContain("POST / HTTP/1.1");
    expect(error.maybeSent).toBe(true);
  });

  test("a stalled handshake ends at the deadline, and its connection is closed", async () => {
    const closed = Promise.withResolvers<void>();
    using peer = await rawPeer((socket) => socket.on("close", () => closed.resolve()));
    const egress = egressWith({ timeoutMs: 60 });
    const error = await failureOf(egress.fetch(`https://127.0.0.1:${peer.port}/`, STREAMS));
    expect(error.reason).toBe("timeout");
    await closed.promise;
  });
});

describe("addresses", () => {
  test("the connection goes to the checked address, and the Host header has the name", async () => {
    using peer = webPeer((request) => new Response(request.headers.get("host")));
    let asked = 0;
    const resolve = async (): Promise<string[]> => [asked++ === 0 ? "127.0.0.1" : "10.0.0.1"];
    const response = await egressWith({ resolve }).fetch(`http://name.example:${peer.port}/a?b=c`, STREAMS);
    expect([await response.text(), asked]).toEqual([`name.example:${peer.port}`, 1]);
    expect(peer.requests).toMatchObject([{ method: "POST", path: "/a?b=c", body: "CANARY" }]);
  });

  test("the next address is tried only if there was no connection", async () => {
    using peer = webPeer(() => new Response("second"), "127.0.0.2");
    const resolve = names({ "name.example": ["127.0.0.1", "127.0.0.2"] });
    const response = await egressWith({ resolve }).fetch(`http://name.example:${peer.port}/`, STREAMS);
    expect(await response.text()).toBe("second");
    using broken = await rawPeer((socket) => socket.destroy());
    const error = await failureOf(
      egressWith({ resolve: names({ "name.example": ["127.0.0.1", "127.0.0.1"] }) }).fetch(
        `http://name.example:${broken.port}/`,
        STREAMS,
      ),
    );
    expect([error.reason, error.maybeSent, broken.connections]).toEqual(["unreachable", true, 1]);
  });

  test("no connection is an error that says that nothing was sent", async () => {
    const error = await failureOf(egressWith().fetch("http://127.0.0.1:1/", STREAMS));
    expect([error.reason, error.maybeSent]).toEqual(["unreachable", false]);
    expect(error.message).toContain("ECONNREFUSED");
  });

  test("over the proxy of the operator, the name is connected by the proxy", async () => {
    using proxy = webPeer((request) => new Response(new URL(request.url).host));
    const { proxyFromEnvironment } = await import("../../src/egress");
    const egress = egressWith({
      proxy: proxyFromEnvironment({ HTTP_PROXY: proxy.origin }),
      allow: [".example"],
    });
    await egress.fetch("http://name.example/", STREAMS);
    expect(proxy.requests.length).toBe(1);
  });
});
