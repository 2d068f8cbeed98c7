// `runtime connections add`: the operator of a data folder enters a user's own key.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startKeyService, type KeyService } from "../../authorization/key-page";
import { at } from "../../support/api";
import { bytesOf } from "../../support/canaries";
import { jsonOf, newTerminal } from "../support/fake-io";

const KEY = "key-of-alice-CANARY-0123456789";

let service: KeyService;
let terminal: ReturnType<typeof newTerminal>;
beforeAll(() => {
  service = startKeyService();
  service.good.add(KEY);
});
afterAll(() => service.stop());
beforeEach(async () => {
  service.status = undefined;
  terminal = newTerminal();
  const record = {
    id: "tracker",
    type: "api_key",
    api_key: { location: "header", addresses: [service.url], test: { url: service.url } },
  };
  writeFileSync(join(terminal.home, "tracker.json"), JSON.stringify(record));
  const file = join(terminal.home, "tracker.json");
  expect((await run(["providers", "create", "--file", file])).code).toBe(0);
});

const run = (words: string[], options: { stdin?: string; env?: Record<string, string> } = {}) =>
  terminal.run(words, {
    ...options,
    env: { RUNTIME_EGRESS_ALLOW: "loopback", ...options.env },
  });
const add = (words: string[], options: { stdin?: string; env?: Record<string, string> } = {}) =>
  run(["connections", "add", "tracker", "--user", "alice", ...words], options);

describe("a key is stored", () => {
  test.each<[string, string[], { stdin?: string; env?: Record<string, string> }]>([
    ["from standard input", ["-"], { stdin: `${KEY}\n` }],
    ["from the environment", ["--from-env", "TRACKER_KEY"], { env: { TRACKER_KEY: KEY } }],
  ])("%s", async (_name, words, options) => {
    const { code, stdout, stderr } = await add([...words, "-o", "json"], options);

    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ user_id: "alice", provider_type: "api_key" });
    expect(stdout).not.toContain(KEY);
    const trail = await run(["audit", "list", "-o", "json"]);
    expect(trail.stdout).toContain("consent.granted");
    expect(trail.stdout + bytesOf(terminal.home)).not.toContain(KEY);
  });

  test("from a hidden prompt", async () => {
    const { code, stdout, io } = await terminal.run(["connections", "add", "tracker", "--user", "alice"], {
      env: { RUNTIME_EGRESS_ALLOW: "loopback" },
      answers: [KEY],
    });

    expect([code, io.prompted]).toEqual([0, ["Key of alice"]]);
    expect(stdout).not.toContain(KEY);
  });

  test("in place of an earlier one", async () => {
    const first = await add(["-", "-o", "json"], { stdin: KEY });
    service.good.add("another-key");
    const second = await add(["-", "-o", "json"], { stdin: "another-key" });

    expect(at(jsonOf(second), "id")).toBe(at(jsonOf(first), "id"));
  });
});

describe("a key is refused", () => {
  test.each<[string, string[], string, number | undefined, number]>([
    ["by the service", ["-"], "wrong-key", undefined, 1],
    ["while the service cannot check it", ["-"], KEY, 503, 1],
    ["as an argument", [KEY], "", undefined, 2],
    ["without a terminal", [], "", undefined, 2],
  ])("%s", async (_name, words, stdin, status, expected) => {
    service.status = status;
    const { code, stdout, stderr } = await add(words, { stdin });

    expect(code).toBe(expected);
    expect(stdout + stderr).not.toContain(KEY);
    expect((await run(["connections", "list", "-o", "json"])).stdout).not.toContain("alice");
  });
});
