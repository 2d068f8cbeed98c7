import { describe, expect, test } from "bun:test";
import { RuntimeError } from "../../src/errors";
import { proxyFromEnvironment } from "../../src/egress";
import { proxyFor } from "../../src/egress/proxy";
import { parseTarget } from "../../src/egress/target";
import { egressWith, failureOf, httpOk, printed, rawPeer, webPeer } from "./peers";

describe("proxyFromEnvironment", () => {
  test("without variables there is no proxy", () => {
    expect(proxyFromEnvironment({})).toEqual({ http: undefined, https: undefined, bypass: [] });
    expect(proxyFromEnvironment({ HTTPS_PROXY: "", https_proxy: " " }).https).toBeUndefined();
  });

  test("each scheme has its own; lower case wins; the scheme may be missing [fault: private-authority]", () => {
    const settings = proxyFromEnvironment({
      HTTPS_PROXY: "http://upper:1",
      https_proxy: "https://lower:2",
      HTTP_PROXY: "bare:3128",
      no_proxy: ".internal, localhost  10.0.0.0/8",
    });
    expect([settings.https?.name, settings.http?.name]).toEqual(["https://lower:2", "http://bare:3128"]);
    expect(settings.bypass).toEqual([".internal", "localhost", "10.0.0.0/8"]);
  });

  test("ALL_PROXY is the fallback of a scheme without a proxy", () => {
    const both = proxyFromEnvironment({ ALL_PROXY: "http://all:1", https_proxy: "http://own:2" });
    expect([both.http?.name, both.https?.name]).toEqual(["http://all:1", "http://own:2"]);
    expect(proxyFromEnvironment({ all_proxy: "lower:3", ALL_PROXY: "upper:4" }).https?.name).toBe(
      "http://lower:3",
    );
    // Not read, so not refused.
    const unread = { ALL_PROXY: "socks5://x:1", HTTP_PROXY: "http://a:1", HTTPS_PROXY: "http://b:1" };
    expect(proxyFromEnvironment(unread).http?.name).toBe("http://a:1");
    expect(() => proxyFromEnvironment({ ALL_PROXY: "socks5://x:1" })).toThrow(
      "ALL_PROXY is not the address of",
    );
  });

  test("the password is redacted and not part of the name", () => {
    const settings = proxyFromEnvironment({ HTTPS_PROXY: "http://user:CANARY@proxy:3128" });
    expect(Bun.inspect(settings) + JSON.stringify(settings)).not.toContain("CANARY");
    expect(settings.https?.url.reveal()).toContain("CANARY");
  });

  test.each(["socks5://CANARY@proxy:1080", "http://", "ftp://proxy/", "http://CANARY proxy"])(
    "%p stops the start",
    (address) => {
      const read = (): unknown => proxyFromEnvironment({ HTTP_PROXY: address });
      expect(read).toThrow(RuntimeError);
      expect(read).toThrow("HTTP_PROXY is not the address of");
      expect(read).not.toThrow("CANARY");
    },
  );
});

describe("NO_PROXY", () => {
  test.each([
    ["*", "https://any.example/", true],
    ["example", "https://example/", true],
    ["example", "https://api.example/", true],
    [".example", "https://api.example/", true],
    ["*.example", "https://api.example/", true],
    ["EXAMPLE.", "https://API.example./", true],
    ["example", "https://notexample/", false],
    ["api.example:8443", "https://api.example:8443/", true],
    ["api.example:443", "https://api.example/", true],
    ["api.example:80", "http://api.example/", true],
    ["api.example:8443", "https://api.example/", false],
    ["10.0.0.0/8", "https://10.1.2.3/", true],
    ["10.1.2.3", "https://10.1.2.3/", true],
    ["10.1.2.3", "https://10.1.2.4/", false],
    ["fd00::/8", "https://[fd12::1]/", true],
    ["", "https://api.example/", false],
    // Loopback is always direct.
    ["", "http://localhost/", true],
    ["", "http://app.localhost/", true],
    ["", "http://127.0.0.1/", true],
    ["", "http://[::1]/", true],
  ])("%p and %s: direct %p", (list, url, direct) => {
    const settings = proxyFromEnvironment({ HTTP_PROXY: "p:1", HTTPS_PROXY: "p:2", NO_PROXY: list });
    expect(proxyFor(parseTarget(url), settings) === undefined).toBe(direct);
  });
});

describe("behind a proxy", () => {
  const noNames = (): Promise<string[]> => Promise.reject(new Error("the proxy resolves"));
  const through = (port: number, allow: string[], noProxy = "") =>
    egressWith({
      allow,
      resolve: noNames,
      proxy: proxyFromEnvironment({
        HTTP_PROXY: `http://us%20er:pass@127.0.0.1:${port}`,
        HTTPS_PROXY: `http://us%20er:pass@127.0.0.1:${port}`,
        NO_PROXY: noProxy,
      }),
    });

  test("a host on the list goes through it by name, with the proxy's credentials", async () => {
    using proxy = await rawPeer((socket) => socket.write(httpOk));
    const response = await through(proxy.port, ["api.example"]).fetch("http://api.example/a?b=1");
    expect(await response.text()).toBe("ok");
    expect(proxy.received[0]).toStartWith("GET http://api.example/a?b=1 HTTP/1.1\r\n");
    expect(proxy.received[0]).toContain(`Proxy-Authorization: Basic ${btoa("us er:pass")}\r\n`);
  });

  test("https requests a tunnel to the host name", async () => {
    using proxy = await rawPeer((socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    const error = await failureOf(through(proxy.port, ["api.example"]).fetch("https://api.example/?CANARY"));
    expect(proxy.received[0]).toStartWith("CONNECT api.example:443 HTTP/1.1\r\n");
    expect([error.reason, error.maybeSent]).toEqual(["unreachable", false]);
    expect(error.message).toContain(
      `The proxy http://127.0.0.1:${proxy.port} refuses to connect to https://api.example`,
    );
    expect(printed(error)).not.toMatch(/CANARY|pass@|us%20er/);
  });

  test.each([
    ["https://api.example/", []],
    ["https://api.example/", ["loopback", "private", "0.0.0.0/0"]],
    ["http://api.example/", ["other.example"]],
    ["https://93.184.215.14/", []],
    ["https://10.0.0.1/", ["loopback"]],
    ["http://169.254.169.254/", ["private", "metadata.example"]],
    ["https://2852039166/", ["private"]],
  ])("%s with %p is refused, with a message that names the setting", async (url, allow) => {
    using proxy = await rawPeer((socket) => socket.write(httpOk));
    const error = await failureOf(through(proxy.port, allow).fetch(url));
    expect([error.reason, error.maybeSent, proxy.connections]).toEqual(["address_refused", false, 0]);
    expect(error.message).toContain(`Set egress.allow (RUNTIME_EGRESS_ALLOW) to include "`);
  });

  test.each([
    ["http://10.0.0.1/", ["private"]],
    ["http://93.184.215.14/", ["93.184.215.14"]],
  ])("the literal address %s passes with %p", async (url, allow) => {
    using proxy = await rawPeer((socket) => socket.write(httpOk));
    expect((await through(proxy.port, allow).fetch(url)).status).toBe(200);
  });

  test("redirects are checked by the same rule", async () => {
    using proxy = await rawPeer((socket) =>
      socket.write("HTTP/1.1 302 Found\r\nLocation: http://inner.example/\r\nContent-Length: 0\r\n\r\n"),
    );
    const call = through(proxy.port, ["api.example"]).fetch("http://api.example/", { redirects: "follow" });
    expect((await failureOf(call)).reason).toBe("address_refused");
  });

  test("a host in NO_PROXY is resolved, checked and pinned as without a proxy [fault: private-authority]", async () => {
    using proxy = await rawPeer((socket) => socket.write(httpOk));
    const error = await failureOf(through(proxy.port, [], "inner.example").fetch("https://inner.example/"));
    expect([error.reason, proxy.connections]).toEqual(["not_resolved", 0]);
  });

  test("connects to loopback directly", async () => {
    using peer = webPeer(() => new Response("direct"));
    expect(await (await through(1, ["loopback"]).fetch(peer.origin)).text()).toBe("direct");
  });

  test("Bun's own NO_PROXY handling has no effect", async () => {
    using proxy = await rawPeer((socket) => socket.write(httpOk));
    process.env["NO_PROXY"] = "*";
    try {
      await through(proxy.port, ["api.example"]).fetch("http://api.example/");
    } finally {
      delete process.env["NO_PROXY"];
    }
    expect(proxy.connections).toBe(1);
  });

  test("a dead proxy is named without its password [fault: private-authority]", async () => {
    const error = await failureOf(through(1, ["api.example"]).fetch("https://api.example/"));
    expect([error.reason, error.maybeSent]).toEqual(["unreachable", false]);
    expect(error.message).toStartWith("No connection to the proxy http://127.0.0.1:1 ");
    expect(printed(error)).not.toContain("pass@");
  });
});
