import { describe, expect, test } from "bun:test";
import { Redacted } from "../../src/base";
import { outgoing } from "../../src/egress/outgoing";
import { egressWith, httpOk, rawPeer, webPeer } from "./peers";

test("method, headers and body are sent, with secrets in plain text", async () => {
  using peer = webPeer(() => new Response("ok"));
  await egressWith().fetch(`${peer.origin}/things?a=1`, {
    method: "PATCH",
    secretsFor: [peer.origin],
    headers: {
      Authorization: new Redacted("Bearer secret"),
      "Content-Type": "application/json",
      Accept: "a/b",
    },
    body: new Redacted('{"a":"ü"}'),
  });
  const [request] = peer.requests;
  expect([request?.method, request?.path, request?.body]).toEqual(["PATCH", "/things?a=1", '{"a":"ü"}']);
  expect(request?.headers.get("authorization")).toBe("Bearer secret");
  expect(request?.headers.get("content-type")).toBe("application/json");
  expect(request?.headers.get("accept")).toBe("a/b");
});

test("callers cannot set connection headers", async () => {
  using peer = await rawPeer((socket) => socket.write(httpOk));
  await egressWith().fetch(`http://127.0.0.1:${peer.port}/`, {
    method: "POST",
    headers: {
      Host: "evil.example",
      "Content-Length": "500",
      "Transfer-Encoding": "chunked",
      Connection: "upgrade",
      Upgrade: "h2c",
      Expect: "100-continue",
    },
    body: "four",
  });
  const sent = peer.received.join("").toLowerCase();
  expect(sent).toContain("content-length: 4\r\n");
  for (const absent of ["evil", "chunked", "upgrade", "expect"]) expect(sent).not.toContain(absent);
});

describe("mistakes of a caller are TypeErrors that do not repeat values", () => {
  test.each([
    ["a line break", { "X-Key": new Redacted("CANARY\r\nHost: evil") }],
    ["a character outside Latin-1", { "X-Key": "CANARY “quoted”" }],
    ["a bad name", { "X Key": "CANARY" }],
  ])("%s in a header", (_, headers) => {
    const check = (): unknown => outgoing({ headers });
    expect(check).toThrow(TypeError);
    expect(check).not.toThrow("CANARY");
  });

  test.each(["GET", "HEAD"] as const)("%s with a body", (method) => {
    expect(() => outgoing({ method, body: "CANARY" })).toThrow(`A ${method} request cannot have a body.`);
  });
});
