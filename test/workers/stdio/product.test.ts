// Programs as an operator meets them: made at a terminal, run by a server in the cage, and ended with it.
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cageSupport } from "../../../src/processes";
import { api, at } from "../../support/api";
import { testWith } from "../../support/require";
import { Installation, type RunningServer } from "../../support/runtime-process";

const SERVER = join(import.meta.dir, "server.ts");
const test = testWith("a kernel with Landlock and seccomp", cageSupport().supported);
const USERS = ["alice", "bob"];
const WORKERS = Array.from({ length: 10 }, (_, index) => `notes${index}`);

let installation: Installation;
beforeAll(() => {
  installation = new Installation(undefined);
});
afterAll(() => installation[Symbol.asyncDispose]());

/** The line that makes a worker of the test's own server. */
function creation(id: string, ...flags: string[]): string[] {
  const folders = [process.execPath, import.meta.dir].flatMap((path) => ["--read", path]);
  return [
    "workers",
    "create",
    "--id",
    id,
    "--yes",
    "--updates",
    "auto",
    ...folders,
    ...flags,
    "--",
    process.execPath,
    SERVER,
  ];
}

/** Processes of this machine whose command line has the text. */
function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

async function until(holds: () => boolean, ms: number): Promise<void> {
  for (const end = Date.now() + ms; !holds() && Date.now() < end;) await Bun.sleep(20);
}

async function clientOf(server: RunningServer) {
  const client = api(server.address, await installation.key("admin"));
  return async (tool: string, user: string, input: object = {}) =>
    at(
      (await client.post("/v1/tools/execute", { tool_name: tool, user_id: user, input })).body,
      "output.value",
    );
}

describe("a program that is made at a terminal", () => {
  test("offers its tools, and its record says how it runs", async () => {
    const made = await installation.run(creation("notes"));
    const shown = await installation.run(["workers", "show", "notes"]);
    const health = await installation.run(["workers", "health", "notes"]);

    expect([made.code, made.stderr.includes("error")]).toEqual([0, false]);
    expect(shown.stderr).toContain("Each user has a process and a folder of their own.");
    expect(shown.stderr).toContain("It runs in a cage");
    expect(health.stdout).toBe("healthy\n");
    expect(processesWith(SERVER)).toEqual([]);
  }, 60_000);

  test("takes secrets from variables, and shows none", async () => {
    installation.environment["NOTES"] = "value-CANARY";
    const made = await installation.run(
      creation("secretive", "--env-env", "NOTES_TOKEN=NOTES", "--env", "A=b"),
    );
    const ran = await installation.run(["tools", "exec", "Secretive.facts", "--user", "alice"]);

    expect(made.code).toBe(0);
    expect(made.stdout + made.stderr).not.toContain("CANARY");
    expect(JSON.parse(ran.stdout).env).toMatchObject({ NOTES_TOKEN: "value-CANARY", A: "b" });
    await installation.run(["workers", "delete", "secretive", "--yes"]);
  }, 60_000);

  test("is not sent to a server", async () => {
    const { code, stderr } = await installation.run([
      ...creation("x").slice(0, 2),
      "--server",
      "http://127.0.0.1:9",
      "--id",
      "x",
      "--yes",
      "--",
      "sh",
    ]);

    expect(code).not.toBe(0);
    expect(stderr).not.toContain("created");
  }, 60_000);

  test("may not be given the data of the server", async () => {
    const { stderr } = await installation.run(creation("greedy", "--read", installation.home));

    expect(stderr).toContain("it has data or keys of this server");
    await installation.run(["workers", "delete", "greedy", "--yes"]);
  }, 60_000);
});

describe("a server with programs", () => {
  test("that is killed leaves none of them behind", async () => {
    for (const id of WORKERS) expect((await installation.run(creation(id))).code).toBe(0);
    const server = await installation.serve();
    const call = await clientOf(server);
    const pids = await Promise.all(
      WORKERS.flatMap((id) =>
        USERS.map(async (user) => at(await call(`${id.replace("n", "N")}.facts`, user), "pid")),
      ),
    );

    expect(new Set(pids).size).toBe(20);
    expect(processesWith(SERVER).length).toBeGreaterThanOrEqual(20);
    process.kill(server.pid, "SIGKILL");
    await until(() => processesWith(SERVER).length === 0, 5000);
    expect(processesWith(SERVER)).toEqual([]);
    await server[Symbol.asyncDispose]();
  }, 120_000);

  test("that stops ends them, and another command's change ends them too", async () => {
    const server = await installation.serve();
    const call = await clientOf(server);
    await call("Notes.facts", "alice");
    expect(processesWith(SERVER).length).toBeGreaterThan(0);
    await installation.run(["workers", "disable", "notes"]);
    await until(() => processesWith(SERVER).length === 0, 10_000);
    expect(processesWith(SERVER)).toEqual([]);
    await installation.run(["workers", "enable", "notes"]);
    const { cwd } = (await call("Notes.facts", "alice")) as { cwd: string };
    await installation.run(["audit", "forget-user", "alice"]);
    await until(() => processesWith(SERVER).length === 0, 10_000);

    expect([processesWith(SERVER), existsSync(cwd)]).toEqual([[], false]);
    await call("Notes.facts", "bob");
    await server[Symbol.asyncDispose]();
    await until(() => processesWith(SERVER).length === 0, 5000);
    expect(processesWith(SERVER)).toEqual([]);
  }, 120_000);

  test("outlives 200 programs that crash, and none of them is left", async () => {
    const server = await installation.serve();
    const call = await clientOf(server);
    const users = Array.from({ length: 200 }, (_, index) => `user${index}`);
    for (let from = 0; from < users.length; from += 8)
      await Promise.all(users.slice(from, from + 8).map((user) => call("Notes.crash", user)));
    await until(() => processesWith(SERVER).length === 0, 5000);

    expect(processesWith(SERVER)).toEqual([]);
    expect(await call("Notes.recall", "last")).toEqual({ memory: [], file: "" });
    await server[Symbol.asyncDispose]();
  }, 120_000);
});

test("a document makes it again at the terminal, and not over HTTP", async () => {
  const { stdout } = await installation.run(["export", "-o", "yaml"]);
  const document = join(installation.home, "project.yaml");
  writeFileSync(document, stdout);
  await installation.run(["workers", "delete", "notes", "--yes"]);
  const server = await installation.serve();
  installation.environment["RUNTIME_API_KEY"] = await installation.key("admin");
  const remote = await installation.run(["apply", "-f", document, "--server", server.address]);
  delete installation.environment["RUNTIME_API_KEY"];
  const local = await installation.run(["apply", "-f", document]);

  expect(remote.code).not.toBe(0);
  expect(remote.stderr).toContain("never taken from the API");
  expect([local.code, local.stderr.includes("error")]).toEqual([0, false]);
  expect((await installation.run(["workers", "show", "notes", "-o", "name"])).stdout).toBe("notes\n");
  await server[Symbol.asyncDispose]();
}, 120_000);
