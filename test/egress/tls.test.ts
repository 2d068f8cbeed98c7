// TLS with a certificate authority that is created for this run. `NODE_EXTRA_CA_CERTS` is read when a process starts, so
// the client that trusts it runs in a separate process (`tls-client.ts`).
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:net";
import { egressWith, failureOf, names, printed, rawPeer, webPeer } from "./peers";
import type { Answer, Call } from "./tls-client";
import { type Authority, createAuthority, startTlsPeer } from "./tls-peer";

let authority: Authority;
beforeAll(() => {
  authority = createAuthority();
});
afterAll(() => authority[Symbol.dispose]());

const tlsPeer = (): ReturnType<typeof startTlsPeer> => startTlsPeer(authority);

/** Runs calls in a process that trusts the authority of the test. */
async function trusting(calls: Call[], env: Record<string, string> = {}): Promise<Answer[]> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "tls-client.ts"), JSON.stringify(calls)], {
    env: { PATH: process.env["PATH"], NODE_EXTRA_CA_CERTS: authority.certificate, ...env },
    stdout: "pipe",
    timeout: 8_000,
  });
  return JSON.parse(await child.stdout.text());
}

describe("a certificate that is not trusted", () => {
  test("fails before anything is sent, with a message that explains how to trust it", async () => {
    using peer = await tlsPeer();
    const egress = egressWith({ resolve: names({ "a.example": ["127.0.0.1"] }) });
    const error = await failureOf(
      egress.fetch(`https://a.example:${peer.port}/?CANARY`, { method: "POST", body: "CANARY" }),
    );
    expect([error.reason, error.maybeSent]).toEqual(["tls", false]);
    expect(error.message).toContain("egress.ca_file");
    expect(printed(error)).not.toContain("CANARY");
    expect(peer.received).toEqual([]);
  });

  test("fails even if the environment disables the check [fault: private-authority]", async () => {
    using peer = await tlsPeer();
    const call = { url: `https://a.example:${peer.port}/` };
    const [answer] = await trusting([call], { NODE_EXTRA_CA_CERTS: "", NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(answer).toMatchObject({ reason: "tls", maybeSent: false });
  });
});

test("the authority of the setting is trusted in addition to those of the system", async () => {
  using peer = await tlsPeer();
  const authorities = readFileSync(authority.certificate, "utf8");
  const egress = egressWith({ resolve: names({ "a.example": ["127.0.0.1"] }), authorities });
  const response = await egress.fetch(`https://a.example:${peer.port}/`);
  expect(response.status).toBe(200);
});

test("with one certificate for several names, each name is checked and has its own connections", async () => {
  using peer = await tlsPeer();
  const call = (host: string): Call => ({ url: `https://${host}:${peer.port}/` });
  const answers = await trusting([
    call("a.example"),
    call("a.example"),
    call("b.example"),
    call("a.example."),
    call("127.0.0.1"),
    call("c.example"),
  ]);
  const { port } = peer;
  expect(answers).toEqual([
    { body: [1, "a.example", `a.example:${port}`] },
    { body: [1, "a.example", `a.example:${port}`] },
    { body: [2, "b.example", `b.example:${port}`] },
    { body: [1, "a.example", `a.example.:${port}`] },
    // No server name: it cannot be an address (RFC 6066, section 3).
    { body: [3, false, `127.0.0.1:${port}`] },
    { reason: "tls", maybeSent: false, message: expect.stringContaining("is for another name") },
  ]);
}, 10_000);

test("https to a plain http port counts as possibly sent, like a later failure", async () => {
  using peer = webPeer(() => new Response("plain"));
  const error = await failureOf(egressWith().fetch(`https://127.0.0.1:${peer.port}/`, { method: "POST" }));
  expect([error.reason, error.maybeSent]).toEqual(["tls", true]);
  expect(error.message).toContain("Check that the port uses TLS");
});

test.each([
  ["plain text", Buffer.from("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")],
  ["an unreadable record", Buffer.concat([Buffer.from([0x17, 3, 3, 0, 40]), Buffer.alloc(40, 7)])],
  ["an alert", Buffer.from([0x15, 3, 3, 0, 2, 2, 80])],
])("a request whose response %s replaces counts as sent", async (_what, bytes) => {
  using peer = await tlsPeer();
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
  const authorities = readFileSync(authority.certificate, "utf8");
  const egress = egressWith({ authorities, timeoutMs: 5000 });
  const error = await failureOf(
    egress.fetch(`https://127.0.0.1:${box.port}/`, { method: "POST", body: "x" }),
  );
  expect(peer.received.join("")).toContain("POST / HTTP/1.1");
  expect([error.reason, error.maybeSent]).toEqual(["tls", true]);
});

test("a broken handshake counts as possibly sent: it looks the same as a later failure", async () => {
  using peer = await rawPeer((socket) => socket.destroy());
  const error = await failureOf(egressWith().fetch(`https://127.0.0.1:${peer.port}/`, { method: "POST" }));
  expect([error.reason, error.maybeSent]).toEqual(["unreachable", true]);
});

test("a stalled handshake ends at the deadline", async () => {
  using peer = await rawPeer(() => undefined);
  const error = await failureOf(egressWith({ timeoutMs: 60 }).fetch(`https://127.0.0.1:${peer.port}/`));
  expect(error.reason).toBe("timeout");
});

test("a tunnel through a proxy checks the certificate for the name", async () => {
  using peer = await tlsPeer();
  using proxy = await rawPeer((socket, piece) => {
    if (!piece.startsWith("CONNECT")) return;
    socket.removeAllListeners("data");
    const upstream = Bun.connect({
      hostname: "127.0.0.1",
      port: peer.port,
      socket: {
        open: () => void socket.write("HTTP/1.1 200 OK\r\n\r\n"),
        data: (_, bytes) => void socket.write(bytes),
        close: () => void socket.end(),
      },
    });
    socket.on("data", async (bytes) => void (await upstream).write(bytes));
  });
  const calls = ["a.example", "c.example"].map((host) => ({ url: `https://${host}/`, proxy: proxy.port }));
  const answers = await trusting(calls);
  expect(answers).toEqual([
    { body: [1, "a.example", "a.example"] },
    { reason: "tls", maybeSent: false, message: expect.stringContaining("is for another name") },
  ]);
}, 10_000);
