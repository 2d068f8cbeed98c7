import { describe, expect, test } from "bun:test";
import { egressWith, failureOf, httpOk, names, rawPeer, webPeer } from "./peers";

describe("connects to the checked address", () => {
  test("even if the name then resolves to another address", async () => {
    using peer = webPeer(() => new Response("checked"));
    const answers = [["127.0.0.1"], ["127.0.0.2"], ["169.254.169.254"]];
    const egress = egressWith({
      allow: ["127.0.0.1"],
      resolve: () => Promise.resolve(answers.shift() ?? []),
    });
    const response = await egress.fetch(`http://rebind.example:${peer.port}/`);
    expect(await response.text()).toBe("checked");
    expect(answers).toHaveLength(2);
  });

  test("sends the host name and port as Host", async () => {
    using peer = webPeer(() => new Response("ok"));
    const egress = egressWith({ resolve: names({ "app.example": ["127.0.0.1"] }) });
    await egress.fetch(`http://app.example:${peer.port}/a%20b/?c=d&e#fragment`);
    expect(peer.requests[0]?.headers.get("host")).toBe(`app.example:${peer.port}`);
    expect(peer.requests[0]?.path).toBe("/a%20b/?c=d&e");
  });

  test("ignores a Host header of the caller", async () => {
    using peer = webPeer(() => new Response("ok"));
    await egressWith().fetch(`${peer.origin}/`, { headers: { Host: "admin.internal" } });
    expect(peer.requests[0]?.headers.get("host")).toBe(`127.0.0.1:${peer.port}`);
  });
});

describe("several addresses", () => {
  test("the next is tried if the first refuses the connection", async () => {
    using peer = await rawPeer((socket) => socket.write(httpOk), "127.0.0.2");
    const egress = egressWith({ resolve: names({ "two.example": ["127.0.0.3", "127.0.0.2"] }) });
    const response = await egress.fetch(`http://two.example:${peer.port}/`, { method: "POST", body: "once" });
    expect([response.status, peer.received.length]).toEqual([200, 1]);
  });

  test("the next is not tried once the request may have been read", async () => {
    using first = await rawPeer((socket) => socket.resetAndDestroy(), "127.0.0.2");
    const egress = egressWith({ resolve: names({ "two.example": ["127.0.0.2", "127.0.0.3"] }) });
    const error = await failureOf(
      egress.fetch(`http://two.example:${first.port}/`, { method: "POST", body: "x" }),
    );
    expect([error.reason, error.maybeSent, first.connections]).toEqual(["unreachable", true, 1]);
  });

  test("if all refuse, the next request resolves the name again", async () => {
    using peer = webPeer(() => new Response("moved here"));
    const answers = [["127.0.0.2", "127.0.0.3"], ["127.0.0.1"]];
    const egress = egressWith({ resolve: () => Promise.resolve(answers.shift() ?? []) });
    const error = await failureOf(egress.fetch(`http://moving.example:${peer.port}/`));
    expect([error.reason, error.maybeSent]).toEqual(["unreachable", false]);
    expect((await egress.fetch(`http://moving.example:${peer.port}/`)).status).toBe(200);
  });
});

describe("kept-alive connections", () => {
  test("are reused", async () => {
    using peer = await rawPeer((socket) => socket.write(httpOk));
    const egress = egressWith();
    for (const _ of [1, 2, 3]) await egress.fetch(`http://127.0.0.1:${peer.port}/`);
    expect(peer.connections).toBe(1);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"] as const)(
    "a %s that breaks one is not sent twice",
    async (method) => {
      using peer = await rawPeer((socket, piece) => {
        if (piece.startsWith("GET")) socket.write(httpOk);
        else socket.resetAndDestroy();
      });
      const egress = egressWith();
      await egress.fetch(`http://127.0.0.1:${peer.port}/`);
      const error = await failureOf(egress.fetch(`http://127.0.0.1:${peer.port}/`, { method, body: "x" }));
      expect([error.reason, error.maybeSent]).toEqual(["unreachable", true]);
      expect(peer.received.filter((piece) => piece.startsWith(method))).toHaveLength(1);
    },
  );
});

test("proxies of the environment are not used unless they are passed in", async () => {
  using peer = webPeer(() => new Response("direct"));
  const before = process.env["HTTP_PROXY"];
  process.env["HTTP_PROXY"] = "http://127.0.0.1:1";
  try {
    expect(await (await egressWith().fetch(peer.origin)).text()).toBe("direct");
  } finally {
    if (before === undefined) delete process.env["HTTP_PROXY"];
    else process.env["HTTP_PROXY"] = before;
  }
});
