// Servers that this server calls and that answer with malice: redirects that ask for the secrets, endless and slow bodies,
// headers with line ends, content types that lie, and error texts that carry secrets back.
import { afterAll, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { recordOf, SECRET } from "../authorization/providers/record";
import { type ProviderSite, startProviderSite } from "../authorization/providers/site";
import { egressWith, failureOf, rawPeer, webPeer } from "../egress/peers";
import { Redacted } from "../../src/base";
import { at } from "../support/api";
import { startTokenEndpoint } from "../support/token-endpoint";
import { printFigure } from "./figure";

const CANARY = "token-CANARY";
const GOOD = { body: { access_token: "T", refresh_token: "R", expires_in: 60 } };

let attempts = 0;
let leaked = 0;
afterAll(() => printFigure("hostile upstreams", `${attempts} hostile answers, ${leaked} secrets leaked`));

describe("a redirect that asks for the secrets", () => {
  test.each([301, 302, 303, 307, 308])("%i from a token endpoint is not followed", async (status) => {
    await using site = await startProviderSite();
    await using collector = startTokenEndpoint();
    await site.addProvider(recordOf(site.deployment.idp.url));
    site.script({ token: { status, headers: { location: `${collector.url}/token` } } });

    const { state } = await site.consent("alice");

    attempts++;
    leaked += collector.requests.length;
    expect([at(state.body, "status"), collector.requests]).toEqual(["failed", []]);
    expect(site.sent("token")).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])(
    "%i loses every secret header on its way to another origin",
    async (status) => {
      using other = webPeer(() => new Response("end"));
      using first = webPeer(() => new Response(null, { status, headers: { location: `${other.origin}/x` } }));
      const headers = {
        authorization: `Bearer ${CANARY}`,
        cookie: CANARY,
        "proxy-authorization": CANARY,
        "x-api-key": new Redacted(CANARY),
      };

      await egressWith().fetch(first.origin, { headers, redirects: "follow", secretsFor: [first.origin] });

      attempts++;
      const received = JSON.stringify(other.requests.map((request) => [...request.headers]));
      leaked += received.includes(CANARY) ? 1 : 0;
      expect([other.requests.length, received.includes(CANARY)]).toEqual([1, false]);
    },
  );

  test.each([
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1/",
    "javascript:1",
    "http://u:p@127.0.0.1/",
    "//",
  ])("to %s ends the request", async (location) => {
    using first = webPeer(() => new Response(null, { status: 302, headers: { location } }));
    attempts++;

    const failure = await failureOf(egressWith().fetch(first.origin, { redirects: "follow" }));

    expect(["address_refused", "redirect_refused"]).toContain(failure.reason);
  });
});

describe("a body without end", () => {
  const chunk = `${"x".repeat(65_536)}`;
  const endless = (socket: Socket, head: string): void => {
    socket.write(head);
    const more = (): void => {
      while (!socket.destroyed && socket.write(`10000\r\n${chunk}\r\n`));
    };
    socket.on("drain", more);
    more();
  };

  test("is cut off at the limit", async () => {
    using peer = await rawPeer((socket) =>
      endless(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    );
    attempts++;

    const failure = await failureOf(
      egressWith({ maxBytes: 1_000_000 }).fetch(`http://127.0.0.1:${peer.port}/`),
    );

    expect(failure.reason).toBe("too_large");
  });

  test("behind a small declared length is cut off there", async () => {
    using peer = await rawPeer(
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok${chunk}`),
    );
    attempts++;

    const response = await egressWith({ maxBytes: 1_000_000 }).fetch(`http://127.0.0.1:${peer.port}/`);

    expect(await response.text()).toBe("ok");
  });

  test("that is compressed is cut off at the limit of what it expands to", async () => {
    const bomb = Bun.gzipSync(new Uint8Array(50_000_000));
    using peer = webPeer(() => new Response(bomb, { headers: { "content-encoding": "gzip" } }));
    attempts++;

    const failure = await failureOf(egressWith({ maxBytes: 1_000_000 }).fetch(peer.origin));

    expect([failure.reason, bomb.length < 100_000]).toEqual(["too_large", true]);
  });

  test("of the user info does not lose the consent", async () => {
    await using site = await startProviderSite();
    await site.addProvider(recordOf(site.deployment.idp.url, { oauth2: { user_info_request: {} } }));
    site.script({
      token: GOOD,
      "user-info": { body: `{"sub":"${"x".repeat(2_000_000)}"}`, type: "application/json" },
    });
    attempts++;

    const { state } = await site.consent("alice");

    expect(at(state.body, "status")).toBe("completed");
    expect(at((await site.connections())[0], "provider_user_info")).toBeUndefined();
  });
});

describe("a slow body", () => {
  test("ends with the time limit, whatever trickles in", async () => {
    using peer = await rawPeer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      const timer = setInterval(() => socket.write("1\r\nx\r\n"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    attempts++;

    const failure = await failureOf(egressWith().fetch(`http://127.0.0.1:${peer.port}/`, { timeoutMs: 300 }));

    expect(failure.reason).toBe("timeout");
  });

  test("ends with the time limit before the head as well", async () => {
    using peer = await rawPeer((socket) => {
      const timer = setInterval(() => socket.write("H"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    attempts++;

    const failure = await failureOf(egressWith().fetch(`http://127.0.0.1:${peer.port}/`, { timeoutMs: 300 }));

    expect(["timeout", "unreachable"]).toContain(failure.reason);
  });
});

describe("a token answer that is not what it says", () => {
  const LIES = [
    ["a page of HTML", { type: "application/json", body: `<script>${SECRET}</script>` }],
    [
      "JSON as HTML with a script in the error",
      { status: 400, type: "text/html", body: `{"error":"<b>${SECRET}</b>"}` },
    ],
    [
      "an error that repeats the secret",
      { status: 400, body: { error: "invalid_client", error_description: SECRET } },
    ],
    ["an error code with line ends", { status: 400, body: { error: `x\r\nset-cookie: a=${SECRET}` } }],
    ["a list", { body: [{ access_token: "T" }] }],
    ["nothing", { body: "", type: "application/json" }],
    ["binary data", { body: "\u0000\u0001\u0002", type: "application/json" }],
    ["an object in place of the token", { body: { access_token: { toString: "T" } } }],
    ["a prototype", { body: `{"__proto__":{"access_token":"T"}}`, type: "application/json" }],
  ] as const;

  test.each(LIES)("%s fails the consent, and nothing of it is shown or logged", async (_name, token) => {
    await using site = await startProviderSite();
    await site.addProvider(recordOf(site.deployment.idp.url));
    site.script({ token });

    const { state, page } = await site.consent("alice");

    attempts++;
    const shown = `${state.text} ${await page.text()} ${JSON.stringify([...page.headers])}`;
    leaked += shown.includes(SECRET) || site.deployment.logLines.join().includes(SECRET) ? 1 : 0;
    expect([at(state.body, "status"), shown.includes(SECRET)]).toEqual(["failed", false]);
    expect(site.deployment.logLines.join()).not.toContain(SECRET);
    expect(await site.connections()).toEqual([]);
  });

  test.each(["a\r\nx-evil: 1", "a\nb", "\u0000", "tok en\u0007", "ü€"])(
    "an access token with characters that HTTP does not allow is never part of a header: %j",
    async (access_token) => {
      await using site: ProviderSite = await startProviderSite();
      await site.addProvider(recordOf(site.deployment.idp.url));
      site.script({ token: { body: { ...GOOD.body, access_token } } });
      await site.consent("alice");

      const { text } = await site.execute("alice");

      attempts++;
      const { calls } = site.deployment.platform;
      expect(calls.filter(({ authorization }) => /[\r\n\0]/.test(authorization ?? ""))).toEqual([]);
      expect(text).not.toContain("x-evil");
    },
  );
});

test("headers with line ends in their value are refused before anything is sent", async () => {
  using peer = webPeer(() => new Response("ok"));
  for (const value of ["a\r\nx-evil: 1", "a\nb", "a\rb", "a\u0000b"]) {
    const sent = egressWith().fetch(peer.origin, { headers: { "x-value": value } });
    await expect(sent).rejects.toThrow(TypeError);
    attempts++;
  }

  expect(peer.requests).toEqual([]);
});
