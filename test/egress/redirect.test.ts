import { describe, expect, test } from "bun:test";
import { Redacted } from "../../src/base";
import { outgoing } from "../../src/egress/outgoing";
import { follow } from "../../src/egress/redirect";
import { parseTarget } from "../../src/egress/target";
import { egressWith, failureOf, names, printed, type WebPeer, webPeer } from "./peers";

function redirectTo(location: string, status = 302): Response {
  return new Response("moved", { status, headers: { location } });
}

/** Redirects everything except `/end` to `/end`. */
const once = (status: number, base = "") =>
  webPeer((request) =>
    request.url.endsWith("/end") ? new Response("end") : redirectTo(`${base}/end`, status),
  );

describe("by default a redirect is an error", () => {
  test.each([300, 301, 302, 303, 305, 307, 308])("%d with Location", async (status) => {
    using peer = once(status);
    const error = await failureOf(egressWith().fetch(`${peer.origin}/?token=CANARY`));
    expect([error.reason, error.maybeSent, peer.requests.length]).toEqual(["redirect_refused", true, 1]);
    expect(printed(error)).not.toContain("CANARY");
  });

  test.each([300, 302, 304])("%d without Location is returned", async (status) => {
    using peer = webPeer(() => new Response(null, { status }));
    expect((await egressWith().fetch(peer.origin)).status).toBe(status);
  });

  test("304 is returned even with Location", async () => {
    using peer = webPeer(() => redirectTo("/end", 304));
    expect((await egressWith().fetch(peer.origin)).status).toBe(304);
  });
});

describe("followed redirects", () => {
  test.each([
    ["GET", 301, "GET", ""],
    ["GET", 307, "GET", ""],
    ["HEAD", 303, "HEAD", ""],
    ["POST", 301, "GET", ""],
    ["POST", 302, "GET", ""],
    ["POST", 303, "GET", ""],
    ["PUT", 303, "GET", ""],
    ["PUT", 302, "PUT", "body"],
    ["POST", 307, "POST", "body"],
    ["POST", 308, "POST", "body"],
    ["DELETE", 301, "DELETE", "body"],
  ] as const)("%s and %d becomes %s with body %p", async (method, status, nextMethod, nextBody) => {
    using peer = once(status);
    const request = { method, redirects: "follow", headers: { "content-type": "text/x" } } as const;
    const withBody = method === "GET" || method === "HEAD" ? request : { ...request, body: "body" };
    expect((await egressWith().fetch(`${peer.origin}/start`, withBody)).status).toBe(200);
    const last = peer.requests[1];
    expect([last?.method, last?.path, last?.body]).toEqual([nextMethod, "/end", nextBody]);
    const keepsType = nextBody !== "" || method === nextMethod;
    expect(last?.headers.has("content-type")).toBe(keepsType);
  });

  test("five are followed, the sixth is not", async () => {
    const counting = (limit: number): WebPeer =>
      webPeer((_, peer) => (peer.requests.length > limit ? new Response("end") : redirectTo("/again")));
    using five = counting(5);
    using six = counting(6);
    expect((await egressWith().fetch(five.origin, { redirects: "follow" })).status).toBe(200);
    const error = await failureOf(egressWith().fetch(six.origin, { redirects: "follow" }));
    expect([error.reason, six.requests.length]).toEqual(["redirect_refused", 6]);
  });

  test.each([
    "http://169.254.169.254/latest/",
    "http://10.0.0.1/",
    "https://[fd00:ec2::254]/",
    "http://inner.example/",
  ])("every hop is checked: %s", async (location) => {
    using peer = webPeer(() => redirectTo(location));
    const egress = egressWith({ resolve: names({ "inner.example": ["10.0.0.1"] }) });
    const error = await failureOf(egress.fetch(peer.origin, { method: "POST", redirects: "follow" }));
    // The first request reached its target, so its outcome is unknown.
    expect([error.reason, error.maybeSent]).toEqual(["address_refused", true]);
  });

  test.each([
    "file:///etc/passwd",
    "http://user:CANARY@127.0.0.1/",
    "https://exa mple/",
    "gopher://127.0.0.1/",
  ])("a forbidden Location is refused: %s", async (location) => {
    using peer = webPeer(() => redirectTo(location));
    const error = await failureOf(egressWith().fetch(peer.origin, { redirects: "follow" }));
    expect([error.reason, error.maybeSent]).toEqual(["address_refused", true]);
    expect(printed(error)).not.toContain("CANARY");
  });

  test("https never leads to http, whatever the address policy allows", () => {
    const step = { target: parseTarget("https://a.example/"), outgoing: outgoing({}), project: undefined };

    expect(() => follow(step, redirectTo("http://127.0.0.1:1/"), 0)).toThrow("from https to");
    expect(follow(step, redirectTo("https://b.example/x"), 0).target.url.href).toBe("https://b.example/x");
  });

  test("a failure at a later hop counts as sent", async () => {
    using peer = webPeer(() => redirectTo("http://127.0.0.1:1/"));
    const error = await failureOf(egressWith().fetch(peer.origin, { redirects: "follow" }));
    expect([error.reason, error.maybeSent]).toEqual(["unreachable", true]);
  });
});

describe("secrets are only sent to the origins that they were given for:", () => {
  test.each([
    ["a secret header", { headers: { "x-api-key": new Redacted("CANARY") } }],
    ["a plain authorization header", { headers: { authorization: "CANARY" } }],
    ["a secret body", { method: "POST", body: new Redacted("CANARY") }],
    ["nothing but the query", {}],
  ] as const)("%s", async (_name, request) => {
    using given = webPeer(() => new Response("ok"));
    using other = webPeer(() => new Response("ok"));
    const secretsFor = [given.origin];
    await egressWith().fetch(given.origin, { ...request, secretsFor });

    const error = await failureOf(
      egressWith().fetch(`${other.origin}/?token=CANARY`, { ...request, secretsFor }),
    );

    expect([error.reason, error.maybeSent, given.requests.length, other.requests.length]).toEqual([
      "address_refused",
      false,
      1,
      0,
    ]);
    expect(error.message).not.toContain("CANARY");
  });

  test("a request with secrets must name them", async () => {
    using peer = webPeer(() => new Response("ok"));
    const sent = egressWith().fetch(peer.origin, { headers: { authorization: new Redacted("CANARY") } });

    await expect(sent).rejects.toThrow(TypeError);
    expect(peer.requests).toEqual([]);
  });
});

describe("secrets are only sent to their origin", () => {
  const headers = {
    Authorization: "Bearer CANARY",
    Cookie: "sid=CANARY",
    "X-Api-Key": new Redacted("CANARY"),
    "X-Plain": "plain",
  };

  test("another origin does not receive them", async () => {
    using other = webPeer(() => new Response("end"));
    using first = webPeer(() => redirectTo(`${other.origin}/end`, 307));
    await egressWith().fetch(first.origin, { headers, redirects: "follow", secretsFor: [first.origin] });
    expect(JSON.stringify([...(first.requests[0]?.headers ?? [])])).toContain("CANARY");
    expect(JSON.stringify([...(other.requests[0]?.headers ?? [])])).not.toContain("CANARY");
    expect(other.requests[0]?.headers.get("x-plain")).toBe("plain");
  });

  test("they stay dropped when a redirect leads back to the first origin", async () => {
    using first: WebPeer = webPeer((request) =>
      request.url.endsWith("/back") ? new Response("end") : redirectTo(`${other.origin}/`),
    );
    using other: WebPeer = webPeer(() => redirectTo(`${first.origin}/back`));
    await egressWith().fetch(first.origin, { headers, redirects: "follow", secretsFor: [first.origin] });
    expect(JSON.stringify([...(first.requests[1]?.headers ?? [])])).not.toContain("CANARY");
  });

  test("the same origin receives them again", async () => {
    using peer = once(302);
    await egressWith().fetch(`${peer.origin}/start`, {
      headers,
      redirects: "follow",
      secretsFor: [peer.origin],
    });
    expect(peer.requests[1]?.headers.get("authorization")).toBe("Bearer CANARY");
  });

  test("a secret body is not sent to another origin", async () => {
    using other = webPeer(() => new Response("end"));
    using first = webPeer(() => redirectTo(`${other.origin}/`, 307));
    const request = {
      method: "POST",
      body: new Redacted("client_secret=CANARY"),
      redirects: "follow",
      secretsFor: [first.origin],
    } as const;
    const error = await failureOf(egressWith().fetch(first.origin, request));
    expect([error.reason, other.requests.length]).toEqual(["redirect_refused", 0]);
  });
});
