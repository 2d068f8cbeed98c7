// Outbound requests of one project that hang must not keep those of other projects from being sent.
import { describe, expect, test } from "bun:test";
import { ENGINE_LIMIT } from "../../src/egress/turns";
import { egressWith, failureOf } from "../egress/peers";
import { printFigure } from "./figure";

/** Answers `/hang` when the test ends, and everything else at once. */
function hangingPeer() {
  const end = Promise.withResolvers<void>();
  const seen: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async ({ url }) => {
      const { pathname } = new URL(url);
      seen.push(pathname);
      if (pathname.startsWith("/hang")) await end.promise;
      return new Response("done");
    },
  });
  return {
    seen,
    url: server.url.href,
    [Symbol.asyncDispose]: async () => {
      end.resolve();
      await server.stop();
    },
  };
}

async function soon(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2000 && !holds(); tries++) await Bun.sleep(5);
  expect(holds()).toBe(true);
}

const LONG = { timeoutMs: 60_000 };

test("1,000 hanging requests of one project: those of nine others are sent", async () => {
  await using peer = hangingPeer();
  const egress = egressWith();
  const stop = new AbortController();
  const hanging = Array.from({ length: 1000 }, () =>
    egress
      .fetch(`${peer.url}hang`, { ...LONG, project: "a", signal: stop.signal })
      .catch((error: unknown) => error),
  );
  await soon(() => peer.seen.length === (ENGINE_LIMIT * 3) / 4);

  const projects = Array.from({ length: 9 }, (_, index) => `b${index}`);
  const answers = await Promise.all(
    projects.map((project) => egress.fetch(`${peer.url}${project}`, { ...LONG, project })),
  );

  expect(answers.map(({ status }) => status)).toEqual(projects.map(() => 200));
  expect(peer.seen.filter((path) => path === "/hang")).toHaveLength((ENGINE_LIMIT * 3) / 4);
  printFigure(
    "outbound starvation",
    "1,000 hanging requests of one project: 192 sent, nine other projects served",
  );
  stop.abort();
  await Promise.all(hanging);
});

describe("with few places", () => {
  // A project may have three quarters of them, and each a few of the rest.
  const places = 12;

  test("projects that wait take turns", async () => {
    await using peer = hangingPeer();
    const egress = egressWith({ places });
    const held = Array.from({ length: 9 }, () => new AbortController());
    const pending = held.map(({ signal }) =>
      egress.fetch(`${peer.url}hang`, { ...LONG, project: "a", signal }).catch(() => undefined),
    );
    const waiting = ["a", "a", "a", "b"].map((project, index) =>
      egress.fetch(`${peer.url}${project}${index}`, { ...LONG, project }),
    );
    expect((await waiting[3])?.status).toBe(200);
    await soon(() => peer.seen.filter((path) => path === "/hang").length === 9);
    expect(peer.seen).not.toContain("/a0");
    for (const one of held) one.abort();
    await Promise.all([...waiting, ...pending]);
    expect(peer.seen.filter((path) => path.startsWith("/a")).toSorted()).toEqual(["/a0", "/a1", "/a2"]);
  });

  test("a request that gets no place in time was not sent, and says so", async () => {
    await using peer = hangingPeer();
    const egress = egressWith({ places: 1 });
    const stop = new AbortController();
    const first = egress
      .fetch(`${peer.url}hang`, { ...LONG, project: "a", signal: stop.signal })
      .catch(() => undefined);
    const failure = await failureOf(egress.fetch(`${peer.url}late`, { project: "a", timeoutMs: 50 }));
    expect([failure.reason, failure.maybeSent]).toEqual(["timeout", false]);
    expect(failure.message).toContain("was not sent");
    stop.abort();
    await first;
    expect((await egress.fetch(`${peer.url}next`, { project: "a" })).status).toBe(200);
    expect(peer.seen).not.toContain("/late");
  });

  test("a streamed answer holds its place until it is read or cancelled", async () => {
    await using peer = hangingPeer();
    const egress = egressWith({ places: 1 });
    const streamed = await egress.fetch(`${peer.url}first`, { project: "a", streams: true });
    const next = egress.fetch(`${peer.url}second`, { ...LONG, project: "a" });
    await Bun.sleep(20);
    expect(peer.seen).toEqual(["/first"]);
    await streamed.text();
    expect((await next).status).toBe(200);
  });
});
