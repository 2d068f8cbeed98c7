// The life of programs: for whom they are started, what they get, and when they end.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Principal } from "../../../src/identity";
import type { CreateWorker } from "../../../src/workers";
import { api, at } from "../../support/api";
import { type Site, startSite } from "../../support/site";
import { plainPrograms, type PlainPrograms } from "./plain-programs";

const SERVER = join(import.meta.dir, "server.ts");

let programs: PlainPrograms;
let site: Site;
let operator: Principal;
let client: ReturnType<typeof api>;
beforeAll(async () => {
  programs = plainPrograms();
  site = await startSite({ parts: { programs } });
  operator = await site.runtime.identity.operator("default");
  client = api(site.url, await site.key("admin"));
});
afterAll(() => site[Symbol.asyncDispose]());
afterEach(async () => {
  for (const { id } of (await site.runtime.workers.list(operator)).items)
    await site.runtime.workers.delete(operator, id);
});

interface Facts {
  pid: number;
  cwd: string;
  env: Record<string, string>;
  greetings: number;
  argv: string[];
}

type Stdio = NonNullable<NonNullable<CreateWorker["mcp"]>["stdio"]>;

function notes(stdio: Partial<Stdio> = {}, mcp: object = {}, id = "notes"): CreateWorker {
  return {
    id,
    updates: "auto",
    mcp: {
      timeout: 10,
      retry: 0,
      stdio: { command: process.execPath, arguments: [SERVER], ...stdio },
      ...mcp,
    },
  };
}

async function call(tool: string, user: string, input: object = {}, with_ = client) {
  const { body } = await with_.post("/v1/tools/execute", { tool_name: tool, user_id: user, input });
  return body;
}

const facts = async (user: string, toolkit = "Notes") =>
  at(await call(`${toolkit}.facts`, user), "output.value") as Facts;
const recall = async (user: string, toolkit = "Notes", with_ = client) =>
  at(await call(`${toolkit}.recall`, user, {}, with_), "output.value");

describe("a program", () => {
  test("is started for its catalog, and ends with the reading", async () => {
    const record = await site.runtime.workers.create(operator, notes());

    expect(record.catalog).toMatchObject({ tools: 11 });
    expect(record.catalog.error).toBeUndefined();
    expect(programs.running).toHaveLength(0);
  });

  test("is started with the first call of a user, and serves the next", async () => {
    await site.runtime.workers.create(operator, notes());
    const [first, second] = [await facts("alice"), await facts("alice")];

    expect(first.pid).toEqual(second.pid);
    expect(second.greetings).toEqual(1);
    expect(programs.running).toHaveLength(1);
  });

  test("gets a secret as an argument where its record says so, and the record does not show it", async () => {
    const record = await site.runtime.workers.create(
      operator,
      notes({ arguments: [SERVER, "--key=${secret:KEY}"] }, { secrets: { KEY: "argument-CANARY" } }),
    );

    expect((await facts("alice")).argv).toEqual(["--key=argument-CANARY"]);
    expect(JSON.stringify(record)).not.toContain("CANARY");
    expect(site.logLines.join("\n")).not.toContain("argument-CANARY");
  });

  test("gets what its record lists, and the folder of its own", async () => {
    const given = { A: "plain", NOTES_TOKEN: "${secret:T}", WHO: "${user_id}", AT: "${home}/notes" };
    const worker = notes(
      { environment: given, arguments: [SERVER, "--at=${home}"] },
      { secrets: { T: "value-CANARY" } },
    );
    await site.runtime.workers.create(operator, worker);
    const { env, cwd, argv } = await facts("alice");

    expect(env).toMatchObject({ A: "plain", NOTES_TOKEN: "value-CANARY", WHO: "alice", AT: `${cwd}/notes` });
    expect(argv).toEqual([`--at=${cwd}`]);
    expect(Object.keys(env).filter((name) => name.startsWith("RUNTIME_"))).toEqual([]);
    expect(statSync(cwd).mode & 0o777).toBe(0o700);
  });
});

describe("two users", () => {
  test("of a program read neither the memory nor the files of each other", async () => {
    await site.runtime.workers.create(operator, notes());
    await call("Notes.remember", "alice", { note: "of alice" });
    await call("Notes.remember", "bob", { note: "of bob" });

    expect(await recall("alice")).toEqual({ memory: ["of alice"], file: "of alice\n" });
    expect(await recall("bob")).toEqual({ memory: ["of bob"], file: "of bob\n" });
    expect((await facts("alice")).pid).not.toEqual((await facts("bob")).pid);
  });

  test("of a shared program share its memory, and the record says so", async () => {
    const record = await site.runtime.workers.create(operator, notes({ shared: true }));
    await call("Notes.remember", "alice", { note: "for all" });

    expect(record.mcp?.stdio?.shared).toBe(true);
    expect(await recall("bob")).toMatchObject({ memory: ["for all"] });
    expect(programs.running).toHaveLength(1);
  });

  test("whose calls are at the same time get their own answers", async () => {
    await site.runtime.workers.create(operator, notes({ environment: { WHO: "${user_id}" } }));
    const users = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? "alice" : "bob"));
    const found = await Promise.all(users.map((user) => facts(user)));

    expect(found.map(({ env }) => env["WHO"])).toEqual(users);
    expect(programs.running).toHaveLength(2);
  });
});

describe("a worker of another project with the same id", () => {
  const FIXED = [
    { id: "fixed", updates: "auto", mcp: { stdio: { command: process.execPath, arguments: [SERVER] } } },
  ];

  test.each<[string, Record<string, string>]>([
    ["that is created", {}],
    ["that is one of the configuration", { RUNTIME_WORKERS: JSON.stringify(FIXED) }],
  ])("%s has a process and a folder of its own", async (_what, environment) => {
    const own = plainPrograms();
    await using two = await startSite({ parts: { programs: own }, environment });
    const { identity, workers } = two.runtime;
    const principals = [await identity.operator("default")];
    await identity.createProject(principals[0] ?? operator, "sales", "Sales");
    principals.push(await identity.operator("sales"));
    const isFixed = environment["RUNTIME_WORKERS"] !== undefined;
    const toolkit = isFixed ? "Fixed" : "Notes";
    for (const principal of principals)
      await (isFixed ? workers.catalogs.refresh(principal, "fixed") : workers.create(principal, notes()));
    const first = api(two.url, await two.key("admin"));
    const second = api(two.url, await two.key("admin", undefined, "sales"));
    await call(`${toolkit}.remember`, "alice", { note: "of default" }, first);

    expect(await recall("alice", toolkit, second)).toEqual({ memory: [], file: "" });
    expect(await recall("alice", toolkit, first)).toEqual({ memory: ["of default"], file: "of default\n" });
  });
});

describe("a process ends", () => {
  const left = async (): Promise<void> => {
    const until = Date.now() + 10_000;
    while (programs.running.length > 0 && Date.now() < until) await Bun.sleep(20);
    expect(programs.running).toHaveLength(0);
  };

  test.each<[string, () => Promise<unknown>]>([
    ["its worker is disabled", () => site.runtime.workers.update(operator, "notes", { enabled: false })],
    ["its worker is deleted", () => site.runtime.workers.delete(operator, "notes")],
    [
      "its program changes",
      () => site.runtime.workers.update(operator, "notes", { mcp: { stdio: { environment: { A: "2" } } } }),
    ],
    [
      "a secret of it changes",
      () => site.runtime.workers.update(operator, "notes", { mcp: { secrets: { T: "other" } } }),
    ],
    ["its user is forgotten", () => site.runtime.inspection.forgetUser(operator, "alice")],
    ["its user is erased", () => site.runtime.users.erase(operator, "alice")],
    [
      "its user is suspended",
      async () => {
        await site.runtime.users.suspend(operator, "alice");
        await site.runtime.users.resume(operator, "alice");
      },
    ],
  ])("when %s", async (_what, change) => {
    const worker = notes({ environment: { A: "${secret:T}" } }, { secrets: { T: "first" } });
    await site.runtime.workers.create(operator, worker);
    await facts("alice");
    expect(programs.running).toHaveLength(1);
    await change();

    await left();
  });

  test("but not when something else of its worker changes", async () => {
    await site.runtime.workers.create(operator, notes());
    const { pid } = await facts("alice");
    await site.runtime.workers.update(operator, "notes", { mcp: { timeout: 20 } });
    await Bun.sleep(1500);

    expect((await facts("alice")).pid).toEqual(pid);
  });
});

test.each<[string, (user: string) => Promise<unknown>]>([
  ["forgotten", (user) => site.runtime.inspection.forgetUser(operator, user)],
  ["erased", (user) => site.runtime.users.erase(operator, user)],
])("a user who is %s leaves no folder behind, and others keep theirs", async (_what, erase) => {
  await site.runtime.workers.create(operator, notes());
  const folders = await Promise.all(["alice", "bob"].map(async (user) => (await facts(user)).cwd));
  await erase("alice");

  expect(folders.map((folder) => existsSync(folder))).toEqual([false, true]);
  await site.runtime.workers.delete(operator, "notes");
  const until = Date.now() + 10_000;
  while (existsSync(folders[1] ?? "") && Date.now() < until) await Bun.sleep(20);
  expect(existsSync(folders[1] ?? "")).toBe(false);
});

describe("a program that ends by itself", () => {
  test("fails the call, and is started again for the next", async () => {
    await site.runtime.workers.create(operator, notes());
    const { pid } = await facts("alice");
    const crashed = await call("Notes.crash", "alice");
    const again = await facts("alice");

    expect(JSON.stringify(crashed)).toContain("exit code 3");
    expect(again.pid).not.toEqual(pid);
  });

  test("at its start says what it has written, without the values it was given", async () => {
    const worker = notes(
      { arguments: [SERVER, "--broken"], environment: { NOTES_TOKEN: "${secret:T}" } },
      { secrets: { T: "value-CANARY" } },
    );
    const { catalog } = await site.runtime.workers.create(operator, worker);

    expect(catalog.error).toContain("exit code 7");
    expect(catalog.error).toContain("it lacks something [secret]");
    expect(JSON.stringify([catalog, site.logLines])).not.toContain("CANARY");
  });

  test("writes some of its standard error to the log", async () => {
    const worker = notes({ environment: { NOTES_TOKEN: "${secret:T}" } }, { secrets: { T: "value-CANARY" } });
    await site.runtime.workers.create(operator, worker);
    await call("Notes.shout", "alice");
    await site.runtime.workers.delete(operator, "notes");
    await Bun.sleep(200);
    const lines = site.logLines.filter((line) => line.includes("a program wrote"));

    expect(lines.length).toBeGreaterThan(5);
    expect(lines.length).toBeLessThan(50);
    expect(lines.join("\n")).not.toContain("CANARY");
  });

  test("after a line that is too long fails the call", async () => {
    await site.runtime.workers.create(operator, notes());
    const answer = await call("Notes.long", "alice", { bytes: 17 * 1024 * 1024 });

    expect(JSON.stringify(answer)).toContain("more than 16 MB");
  });
});

test.each(["read", "write"])("a program may not be given folders of this server (%s)", async (field) => {
  await expect(site.runtime.workers.create(operator, notes({ [field]: [site.folder] }))).rejects.toThrow(
    "it has data or keys of this server",
  );
  expect(programs.running).toHaveLength(0);
});

test("folders of users have names that say nothing", async () => {
  await site.runtime.workers.create(operator, notes());
  await facts("alice@example.com/../x");
  const names = readdirSync(join(site.folder, ".local/share/runtime/workers"), { recursive: true }).map(
    String,
  );

  expect(names.join("\n")).not.toContain("alice");
});
