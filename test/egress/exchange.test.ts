import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { Redacted } from "../../src/base";
import { egressWith, failureOf, fieldsOf, logTo, webPeer } from "./peers";

describe("the response", () => {
  test("of any status is returned, with its headers and text", async () => {
    using peer = webPeer(
      () =>
        new Response("<h1>no</h1>", {
          status: 503,
          headers: { "retry-after": "7", "content-type": "text/html" },
        }),
    );
    const response = await egressWith().fetch(peer.origin);
    expect([response.status, response.headers.get("retry-after"), await response.text()]).toEqual([
      503,
      "7",
      "<h1>no</h1>",
    ]);
  });

  test("keeps several cookies apart", async () => {
    using peer = webPeer(
      () =>
        new Response("", {
          headers: [
            ["set-cookie", "a=1"],
            ["set-cookie", "b=2"],
          ],
        }),
    );
    expect((await egressWith().fetch(peer.origin)).headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  test.each(["gzip", "GZIP", "x-gzip"])("is decoded from %s, without the header", async (encoding) => {
    using peer = webPeer(
      () => new Response(gzipSync("hello"), { headers: { "content-encoding": encoding } }),
    );
    const response = await egressWith().fetch(peer.origin);
    expect(await response.text()).toBe("hello");
    expect(response.headers.has("content-encoding")).toBe(false);
    expect(response.headers.has("content-length")).toBe(false);
  });

  test("in an unsupported encoding keeps the header", async () => {
    using peer = webPeer(() => new Response("zzz", { headers: { "content-encoding": "compress" } }));
    const response = await egressWith().fetch(peer.origin);
    expect([response.headers.get("content-encoding"), await response.text()]).toEqual(["compress", "zzz"]);
  });

  test.each([204, 205, 304])("of status %d has no body", async (status) => {
    using peer = webPeer(() => new Response(null, { status }));
    const response = await egressWith().fetch(peer.origin);
    expect([response.status, await response.text()]).toEqual([status, ""]);
  });

  test("to HEAD has no body", async () => {
    using peer = webPeer(() => new Response("hidden", { headers: { etag: '"1"' } }));
    const response = await egressWith().fetch(peer.origin, { method: "HEAD" });
    expect([response.headers.get("etag"), await response.text()]).toEqual(['"1"', ""]);
  });
});

describe("the log", () => {
  const secrets = {
    method: "POST",
    headers: {
      Authorization: "Bearer CANARY1",
      cookie: "sid=CANARY2",
      "Proxy-Authorization": "Basic CANARY3",
      "X-Api-Key": new Redacted("CANARY4"),
      Accept: "application/json",
    },
    body: "client_secret=CANARY5",
  } as const;

  async function linesOf(printSecrets: boolean): Promise<string[]> {
    const lines: string[] = [];
    using peer = webPeer(() => new Response("CANARY7", { status: 201, headers: { "x-answer": "CANARY8" } }));
    const egress = egressWith({ log: logTo(lines, printSecrets) });
    await egress.fetch(`${peer.origin}/things?code=CANARY6#CANARY9`, {
      ...secrets,
      secretsFor: [peer.origin],
    });
    return lines;
  }

  test("has one line per request, without secrets", async () => {
    const lines = await linesOf(false);
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain("CANARY");
    expect(fieldsOf(lines[0])).toMatchObject({
      level: "debug",
      message: "outbound request",
      method: "POST",
      address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/things$/),
      query: "[redacted]",
      status: 201,
      duration_ms: expect.any(Number),
      headers: { authorization: "[redacted]", "x-api-key": "[redacted]", accept: "application/json" },
      body: "[redacted]",
    });
  });

  test("shows all of them if redaction is disabled (positive control)", async () => {
    const line = (await linesOf(true)).join();
    for (const canary of [1, 2, 3, 4, 5, 6]) expect(line).toContain(`CANARY${canary}`);
  });

  test("has the failure of a request without a response", async () => {
    const lines: string[] = [];
    const egress = egressWith({ log: logTo(lines) });
    const secretsFor = ["http://127.0.0.1:1", "https://10.0.0.1"];
    await failureOf(egress.fetch("http://127.0.0.1:1/x?CANARY", { ...secrets, secretsFor }));
    await failureOf(egress.fetch("https://10.0.0.1/", { ...secrets, secretsFor }));
    expect(lines.map((line) => fieldsOf(line)["failure"])).toEqual(["unreachable", "address_refused"]);
    expect(lines.join()).not.toContain("CANARY");
  });

  test("has a line for every hop", async () => {
    const lines: string[] = [];
    using peer = webPeer((request) =>
      request.url.endsWith("/end")
        ? new Response("end")
        : new Response(null, { status: 302, headers: { location: "/end" } }),
    );
    await egressWith({ log: logTo(lines) }).fetch(peer.origin, { redirects: "follow" });
    expect(lines.map((line) => fieldsOf(line)["status"])).toEqual([302, 200]);
  });
});
