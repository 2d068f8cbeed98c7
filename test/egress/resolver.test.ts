import { expect, test } from "bun:test";
import type { Clock } from "../../src/base";
import { EgressError } from "../../src/egress";
import { createResolver } from "../../src/egress/resolver";
import { egressWith, failureOf, names } from "./peers";

const never = new AbortController().signal;

function countingResolver(answers: string[][]) {
  const time = { now: 0 };
  const clock: Clock = { now: () => time.now, monotonic: () => time.now, sleep: () => Promise.resolve() };
  const asked: string[] = [];
  const resolver = createResolver((host) => {
    asked.push(host);
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    return answer === undefined ? Promise.reject(new Error("SERVFAIL")) : Promise.resolve(answer);
  }, clock);
  return { resolver, asked, time };
}

test("a name is cached for five seconds", async () => {
  const { resolver, asked, time } = countingResolver([["192.0.2.1"], ["192.0.2.2"]]);
  await resolver.addressesOf("a.example", never);
  time.now = 4_999;
  expect(await resolver.addressesOf("a.example", never)).toEqual(["192.0.2.1"]);
  time.now = 5_000;
  expect(await resolver.addressesOf("a.example", never)).toEqual(["192.0.2.2"]);
  expect(asked).toHaveLength(2);
});

test("a name is resolved again after the clock was set back", async () => {
  const { resolver, asked, time } = countingResolver([["192.0.2.1"], ["192.0.2.2"]]);
  time.now = 3_600_000;
  await resolver.addressesOf("a.example", never);
  time.now = 0;
  expect(await resolver.addressesOf("a.example", never)).toEqual(["192.0.2.2"]);
  expect(asked).toHaveLength(2);
});

test("concurrent requests share one lookup", async () => {
  const { resolver, asked } = countingResolver([["192.0.2.1"]]);
  await Promise.all([resolver.addressesOf("a.example", never), resolver.addressesOf("a.example", never)]);
  expect(asked).toEqual(["a.example"]);
});

test("a forgotten name is resolved again", async () => {
  const { resolver, asked } = countingResolver([["192.0.2.1"]]);
  await resolver.addressesOf("a.example", never);
  resolver.forget("a.example");
  await resolver.addressesOf("a.example", never);
  expect(asked).toHaveLength(2);
});

test("a failure is not cached", async () => {
  const { resolver, asked } = countingResolver([]);
  const ask = (): Promise<unknown> =>
    resolver.addressesOf("a.example", never).catch((error: unknown) => error);
  expect(await ask()).toBeInstanceOf(EgressError);
  expect(await ask()).toBeInstanceOf(EgressError);
  expect(asked).toHaveLength(2);
});

test("the cache is bounded", async () => {
  const { resolver, asked } = countingResolver([["192.0.2.1"]]);
  for (let index = 0; index < 1_001; index++) await resolver.addressesOf(`h${index}.example`, never);
  await resolver.addressesOf("h0.example", never);
  await resolver.addressesOf("h1000.example", never);
  expect(asked).toHaveLength(1_002);
});

test("an unknown name is reported", async () => {
  const error = await failureOf(egressWith({ resolve: names({}) }).fetch("https://nowhere.example/?CANARY"));
  expect([error.reason, error.maybeSent]).toEqual(["not_resolved", false]);
  expect(error.message).toContain("nowhere.example");
});

test("a name without addresses is reported as unknown", async () => {
  const egress = egressWith({ resolve: names({ "empty.example": [] }) });
  expect((await failureOf(egress.fetch("https://empty.example/"))).reason).toBe("not_resolved");
});

test("the system's resolver is the default", async () => {
  const error = await failureOf(egressWith({ allow: [] }).fetch("https://localhost/"));
  expect(error.message).toContain("localhost resolves to a loopback address");
  const invalid = await failureOf(egressWith().fetch("https://no-such-name.invalid/"));
  expect(invalid.reason).toBe("not_resolved");
});

test("a lookup without an answer ends at the deadline, and nothing was sent", async () => {
  const egress = egressWith({ resolve: () => new Promise(() => undefined) });
  const error = await failureOf(egress.fetch("https://slow.example/", { timeoutMs: 50 }));
  expect([error.reason, error.maybeSent]).toEqual(["timeout", false]);
});
