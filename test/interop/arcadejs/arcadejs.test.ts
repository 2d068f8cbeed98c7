// The public client `@arcadeai/arcadejs` as published, in real flows: every method that this server supports.
import Arcade from "@arcadeai/arcadejs";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { administration } from "./admin";
import { chat } from "./chat";
import { called, clientOf, methodsOf, refusal } from "./client";
import { consents } from "./consent";
import { scheduledRuns } from "./scheduled";
import { tools } from "./tools";
import { troubles } from "./troubles";
import { workers } from "./workers";
import { startWorld, type World } from "./world";

/** One per line, with its reason. */
const differences: Difference[] = readFileSync(join(import.meta.dir, "differences.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

interface Difference {
  call: string;
  arguments: unknown[];
  /** Sent instead of a key of this server. */
  apiKey?: string;
  status: number;
  reason: string;
}

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

// A refused call alone does not test a method.
const clientThatIsNotNoted = (apiKey = world.keys.admin) =>
  new Arcade({ baseURL: world.site.url, apiKey, maxRetries: 0 });

test("the public client is the published one", async () => {
  const { version } = await Bun.file(
    Bun.resolveSync("@arcadeai/arcadejs/package.json", import.meta.dir),
  ).json();
  expect(version).toBe("2.4.1");
});

administration(() => world);
consents(() => world);
tools(() => world);
troubles(() => world);
scheduledRuns(() => world);
workers(() => world);
chat();

test("the public client asks for health without a key of this server", async () => {
  expect(await clientOf(world.site.url, "My API Key").health.check()).toEqual({ healthy: true });
});

test("auto-paging over connections returns each once, in a stable order", async () => {
  const users = Array.from({ length: 23 }, (_user, index) => `paged-${index}`);
  for (const user of users) await world.connect(user);
  const client = clientOf(world.site.url, world.keys.admin);
  const listed: string[] = [];
  for await (const { user_id } of client.admin.userConnections.list({ provider_id: "slack", limit: 5 })) {
    listed.push(user_id ?? "");
  }
  expect(listed.filter((user) => user.startsWith("paged-"))).toEqual(users);
  expect(new Set(listed).size).toBe(listed.length);
});

describe("where this server is stricter than the client's own tests expect", () => {
  test.each(differences.map((row) => [row.call, row.reason, row] as const))(
    "%s: %s",
    async (path, reason, row) => {
      const client = clientThatIsNotNoted(row.apiKey);
      const method = methodsOf(client).find((one) => one.path === path);
      if (method === undefined) throw new Error(`the client has no ${path}`);
      const answer: unknown = Reflect.apply(
        Reflect.get(method.resource, method.name),
        method.resource,
        row.arguments,
      );
      const error = await refusal(Promise.resolve(answer));

      expect(error).toHaveProperty("status", row.status);
      expect(reason).toMatch(/^[A-Z].{20,}\.$/);
    },
  );
});

test("docs/coming-from-hosted.md lists every reason and no others", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../docs/coming-from-hosted.md")).text();
  const reasons = new Set(differences.map(({ reason }) => reason));

  expect([...reasons].filter((reason) => !page.includes(`- ${reason}\n`))).toEqual([]);
  const listed = [...page.matchAll(/^- (.*)$/gm)].map(([, line = ""]) => line);
  expect(listed.filter((line) => !reasons.has(line))).toEqual([]);
  expect(await Bun.file(join(import.meta.dir, "../../../README.md")).text()).toContain(
    "docs/coming-from-hosted.md",
  );
});

describe("the methods of the public client", () => {
  const paths = methodsOf(new Arcade({ apiKey: "x" })).map(({ path }) => path);

  test("are found", () => {
    expect(paths).toContain("admin.userConnections.list");
    expect(paths).toContain("auth.waitForCompletion");
    expect(paths.length).toBeGreaterThanOrEqual(31);
  });

  test("have all been called above", () => {
    expect(paths.filter((path) => !called.has(path))).toEqual([]);
  });
});
