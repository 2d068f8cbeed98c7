import { describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { egressError, neverConnected } from "../../src/egress/failure";
import { egressWith, failureOf, printed, rawPeer } from "./peers";

const SECRET_URL = "/CANARYPATH?token=CANARYQUERY#CANARYHASH";

async function failureAt(answer: (socket: Socket) => void) {
  using peer = await rawPeer(answer);
  const request = {
    method: "POST",
    body: "CANARYBODY",
    headers: { authorization: "CANARYHEADER" },
    secretsFor: [`http://127.0.0.1:${peer.port}`],
  } as const;
  return await failureOf(egressWith().fetch(`http://127.0.0.1:${peer.port}${SECRET_URL}`, request));
}

describe("failures, and whether the request may have been sent", () => {
  test("connection refused: not sent", async () => {
    const error = await failureOf(egressWith().fetch(`http://127.0.0.1:1${SECRET_URL}`, { method: "POST" }));
    expect([error.reason, error.maybeSent]).toEqual(["unreachable", false]);
    expect(error.message).toBe(
      "No connection to http://127.0.0.1:1 (ECONNREFUSED). Check the address, and that a server is running there.",
    );
    expect(printed(error)).not.toContain("CANARY");
  });

  const cases: [string, (socket: Socket) => void, string][] = [
    ["reset after the request", (socket) => socket.resetAndDestroy(), "closed the connection"],
    ["end without an answer", (socket) => socket.end(), "closed the connection"],
    [
      "reset within the head",
      (socket) => socket.write("HTTP/1.1 200", () => socket.resetAndDestroy()),
      "closed the connection",
    ],
    [
      "reset within a promised body",
      (socket) =>
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", () => socket.resetAndDestroy()),
      "closed the connection",
    ],
    [
      "end within a promised body",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
      "closed the connection",
    ],
    [
      "end within chunks",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"),
      "closed the connection",
    ],
    ["not HTTP", (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n\r\n"), "cannot be read"],
    [
      "broken compression",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde"),
      "cannot be decompressed",
    ],
    [
      "endless head",
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${"a".repeat(2_000_000)}\r\n\r\n`),
      "cannot be read",
    ],
    ["upgrade", (socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"), "cannot be read"],
    [
      "unknown status",
      (socket) => socket.end("HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n"),
      "the invalid status 999",
    ],
  ];

  test.each(cases)("%s: may have been sent", async (_, answer, message) => {
    const error = await failureAt(answer);
    expect([error.reason, error.maybeSent]).toEqual(["unreachable", true]);
    expect(error.message).toContain(message);
    expect(printed(error)).not.toContain("CANARY");
  });
});

describe("codes that cannot be caused on loopback", () => {
  const circumstances = {
    origin: "https://api.example",
    proxy: undefined,
    ended: undefined,
    started: true,
    answered: false,
    timeoutMs: 1_000,
    timeoutAdvice: "",
  };
  const withCode = (code: string): Error => Object.assign(new TypeError("CANARY"), { code });

  test.each([
    ["EHOSTUNREACH", "unreachable", false],
    ["ENETUNREACH", "unreachable", false],
    ["CERT_HAS_EXPIRED", "tls", false],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "tls", false],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls", false],
    ["ETIMEDOUT", "unreachable", true],
    ["SomethingNew", "unreachable", true],
  ] as const)("%s is %s, maybe sent: %p", (code, reason, maybeSent) => {
    const error = egressError(withCode(code), circumstances);
    expect([error.reason, error.maybeSent]).toEqual([reason, maybeSent]);
    expect(printed(error)).not.toContain("CANARY");
  });

  test("after the head of the response, even a TLS error counts as sent", () => {
    expect(egressError(withCode("EPROTO"), { ...circumstances, answered: true }).maybeSent).toBe(true);
  });

  test("a thrown value that is not an Error is unreachable", () => {
    expect(egressError("CANARY", circumstances).reason).toBe("unreachable");
    expect(neverConnected("ECONNREFUSED")).toBe(false);
  });
});
