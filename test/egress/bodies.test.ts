// Memory for whole bodies: large ones wait for each other, and one project does not take all of it.
import { describe, expect, spyOn, test } from "bun:test";
import { BodyMemory } from "../../src/egress/bodies";
import { startDeadline, type TakenMemory } from "../../src/egress/limits";
import { egressWith, failureOf, webPeer } from "./peers";

const MB = 1024 * 1024;

describe("the memory for bodies", () => {
  const setting = () => {
    const memory = new BodyMemory(100);
    const log: string[] = [];
    const bodies = new Map<string, TakenMemory>();
    const take = (name: string, project: string, bytes: number): void => {
      const deadline = startDeadline(10_000, undefined);
      const given = memory.take(project, bytes, deadline, "http://a").then((taken) => {
        log.push(name);
        bodies.set(name, taken);
      });
      // Some still wait when a test ends.
      given.catch(() => log.push(`${name}: refused`));
    };
    const seen = async (): Promise<string[]> => {
      await Bun.sleep(0);
      return log.splice(0);
    };
    return {
      take,
      seen,
      release: (name: string) => bodies.get(name)?.release(),
      fit: (name: string, bytes: number) => bodies.get(name)?.fit(bytes),
    };
  };

  test("is given in the order of arrival, and a large body is not overtaken", async () => {
    const { take, seen, release } = setting();
    take("a", "p", 70);
    take("large", "q", 80);
    take("small", "r", 10);
    expect(await seen()).toEqual(["a"]);
    release("a");
    expect(await seen()).toEqual(["large", "small"]);
  });

  test("is given whole to a body that is larger than all of it, when there is no other", async () => {
    const { take, seen, release } = setting();
    take("a", "p", 10);
    take("huge", "q", 500);
    expect(await seen()).toEqual(["a"]);
    release("a");
    expect(await seen()).toEqual(["huge"]);
    take("b", "p", 1);
    expect(await seen()).toEqual([]);
    release("huge");
    expect(await seen()).toEqual(["b"]);
  });

  test("of one project is at most three quarters, so that another one goes on", async () => {
    const { take, seen, release } = setting();
    take("a", "p", 40);
    take("b", "p", 40);
    take("c", "q", 40);
    expect(await seen()).toEqual(["a", "c"]);
    release("a");
    expect(await seen()).toEqual(["b"]);
  });

  test("is released once", async () => {
    const { take, seen, release } = setting();
    take("a", "p", 60);
    take("b", "q", 60);
    take("c", "r", 60);
    expect(await seen()).toEqual(["a"]);
    release("a");
    release("a");
    expect(await seen()).toEqual(["b"]);
  });

  test("that a body turned out not to need is given to the next", async () => {
    const { take, seen, release, fit } = setting();
    take("a", "p", 90);
    take("b", "q", 30);
    take("c", "r", 60);
    expect(await seen()).toEqual(["a"]);
    fit("a", 10);
    expect(await seen()).toEqual(["b", "c"]);
    take("d", "s", 10);
    expect(await seen()).toEqual([]);
    release("a");
    expect(await seen()).toEqual(["d"]);
  });

  test("is collected when earlier bodies and the next one may fill it, and not for each body", async () => {
    using collection = spyOn(Bun, "gc").mockImplementation(() => undefined);
    const { take, seen, release, fit } = setting();
    const collections: number[] = [];
    for (const name of ["a", "b", "c", "d", "e"]) {
      take(name, "p", 40);
      await seen();
      fit(name, 25);
      release(name);
      collections.push(collection.mock.calls.length);
    }
    // 75 bytes of the first three, and 40.
    expect(collections).toEqual([0, 0, 0, 1, 1]);
  });
});

describe("an answer", () => {
  const egress = (maxTotalBytes: number, timeoutMs = 3000) =>
    egressWith({ maxBytes: 3 * MB, maxTotalBytes, timeoutMs });
  const chunked = (): Response =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (let count = 0; count < 20; count++) controller.enqueue(new Uint8Array(MB / 10));
          controller.close();
        },
      }),
    );

  test.each([
    ["with a length", () => new Response(new Uint8Array(2 * MB))],
    ["without a length", chunked],
  ])("that is large waits until an earlier one is no longer needed (%s)", async (_name, answer) => {
    using peer = webPeer(answer);
    const client = egress(3.5 * MB);
    const holder = new DisposableStack();
    const first = await client.fetch(peer.origin, { holder, project: "p" });
    let isDone = false;
    const second = client.fetch(peer.origin, { project: "q" }).then((response) => {
      isDone = true;
      return response;
    });
    const third = client.fetch(peer.origin, { project: "r" });
    await Bun.sleep(100);
    expect([first.status, isDone]).toEqual([200, false]);
    holder.dispose();
    expect([(await second).status, (await third).status]).toEqual([200, 200]);
  });

  test("that is small does not wait", async () => {
    using large = webPeer(() => new Response(new Uint8Array(2 * MB)));
    using small = webPeer(() => new Response(new Uint8Array(MB / 2)));
    const client = egress(2 * MB);
    using holder = new DisposableStack();
    await client.fetch(large.origin, { holder });
    expect((await client.fetch(small.origin)).status).toBe(200);
  });

  test("that waits too long fails, says why, and leaves its turn to the next", async () => {
    using peer = webPeer(() => new Response(new Uint8Array(2 * MB)));
    const client = egress(2 * MB);
    const holder = new DisposableStack();
    await client.fetch(peer.origin, { holder });
    const failure = await failureOf(client.fetch(peer.origin, { timeoutMs: 80 }));
    expect([failure.reason, failure.maybeSent]).toEqual(["timeout", true]);
    expect(failure.message).toContain("egress.max_total_bytes");
    holder.dispose();
    expect((await client.fetch(peer.origin)).status).toBe(200);
  });

  test("that breaks off gives its memory back", async () => {
    using broken = webPeer(() => new Response(new Uint8Array(4 * MB)));
    using peer = webPeer(() => new Response(new Uint8Array(2 * MB)));
    const client = egress(2 * MB);
    expect((await failureOf(client.fetch(broken.origin))).reason).toBe("too_large");
    const endless = (): Response =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(MB)) }));
    using unending = webPeer(endless);
    expect((await failureOf(client.fetch(unending.origin))).reason).toBe("too_large");
    expect((await client.fetch(peer.origin)).status).toBe(200);
  });
});
