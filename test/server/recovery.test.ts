// What goes wrong at start and while serving: another root key, no root key, a database that cannot be used, a stop.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RuntimeError } from "../../src/errors";
import { api, at, call } from "../support/api";
import { breakableStore } from "../support/breakable-store";
import { startSite } from "../support/site";
import { startOwn, testCatalog } from "./own";
import { expectNoInsides } from "./scenario";
import { connect, databaseOf, dump, type Stage, startConsent, startStage } from "./stage";

// Everything that is sealed belongs to one root key.
describe("a database whose root key is another one", () => {
  const folder = mkdtempSync(join(tmpdir(), "runtime-recovery-"));
  const keyFile = join(folder, ".config/runtime/root.key");
  const OTHER_KEY = Buffer.alloc(32, 7).toString("base64");
  let file = "";
  let before: unknown;

  beforeAll(async () => {
    await using stage = await startStage({ folder });
    await connect(stage, "alice");
    await api(stage.site.url, stage.keys.admin).post("/v1/admin/secrets/TOKEN", { value: "kept" });
    file = databaseOf(stage.site);
    await stage.site.runtime.core.store.check();
    before = dump(file);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function refusalOf(environment: Record<string, string> = {}): Promise<string> {
    const started = startOwn([testCatalog], { HOME: folder, ...environment });
    const error: unknown = await started.then(
      (own) => own[Symbol.asyncDispose](),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof RuntimeError)) throw new Error("it started");
    expect(error.name).toBe("configuration");
    expect(error.message).not.toContain("\n");
    expect(error.message).not.toContain(OTHER_KEY);
    return error.message;
  }

  test("is refused at the start, naming where the key came from, and nothing is overwritten [fault: wrong-root-key]", async () => {
    const message = await refusalOf({ RUNTIME_ROOT_KEY: OTHER_KEY });
    expect(message).toContain("RUNTIME_ROOT_KEY");
    expect(message).toContain("Nothing was changed");
    expect(dump(file)).toEqual(before as Record<string, unknown[]>);
  });

  test("is refused when the key comes from a file", async () => {
    const other = join(folder, "other.key");
    writeFileSync(other, OTHER_KEY);
    expect(await refusalOf({ RUNTIME_ROOT_KEY_FILE: other })).toContain(other);
    expect(dump(file)).toEqual(before as Record<string, unknown[]>);
  });

  test("is refused when the key is missing, and no new one is made", async () => {
    renameSync(keyFile, `${keyFile}.away`);
    expect(await refusalOf()).toContain(keyFile);
    expect(existsSync(keyFile)).toBe(false);
    renameSync(`${keyFile}.away`, keyFile);
    expect(dump(file)).toEqual(before as Record<string, unknown[]>);
  });

  test.each(["", "short", "x".repeat(44)])("is refused when the key is %p, which is none", async (key) => {
    await refusalOf({ RUNTIME_ROOT_KEY: key });
    expect(dump(file)).toEqual(before as Record<string, unknown[]>);
  });

  test("works again with its own key [fault: wrong-root-key]", async () => {
    await using site = await startSite({ folder });
    const { secrets } = site.runtime;
    expect(await secrets.value("default", "TOKEN")).toBe("kept");
    const read = api(site.url, await site.key("read"));
    expect(at((await read.get("/v1/admin/user_connections")).body, "total_count")).toBe(1);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  });
});

describe("a database that cannot be used", () => {
  let broken = false;
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage({ parts: { openStore: breakableStore(() => broken) } });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const health = () => call(stage.site.url, { method: "GET", path: "/v1/health" });

  test("makes health 503 with a reason, and 200 again when it has recovered", async () => {
    expect((await health()).body).toEqual({ healthy: true });
    broken = true;
    const answer = await health();
    expect({ status: answer.status, healthy: at(answer.body, "healthy") }).toEqual({
      status: 503,
      healthy: false,
    });
    expect(at(answer.body, "reason")).toBe("The database cannot be used. The log has the reason.");
    expectNoInsides(stage, answer.text);
    expect(stage.site.logLines.join("\n")).toContain("s3cr3t disk");
    broken = false;
    expect((await health()).status).toBe(200);
  });

  test("makes everything else 500, whose reason is in the log alone, under the request's id", async () => {
    const admin = api(stage.site.url, stage.keys.admin);
    broken = true;
    const answers = [
      await admin.get("/v1/tools"),
      await admin.get("/v1/admin/secrets"),
      await admin.post("/v1/admin/secrets/A", { value: "v" }),
      await call(stage.site.url, { method: "GET", path: "/authorize/unknown" }),
    ];
    broken = false;
    for (const answer of answers) {
      expect({ status: answer.status, name: at(answer.body, "name") }).toEqual({
        status: 500,
        name: "internal_error",
      });
      expect(answer.text).not.toContain("s3cr3t");
      expectNoInsides(stage, answer.text);
      const id = answer.headers.get("x-request-id") ?? "none";
      expect(stage.site.logLines.filter((line) => line.includes(id)).join("\n")).toContain("s3cr3t disk");
    }
    expect((await admin.get("/v1/admin/secrets")).status).toBe(200);
  });
});

test("a database file that is destroyed under a running server: 503, no crash, no insides [fault: full-disk]", async () => {
  await using stage = await startStage();
  const admin = api(stage.site.url, stage.keys.admin);
  for (const suffix of ["", "-wal"]) {
    const file = databaseOf(stage.site) + suffix;
    writeFileSync(file, Buffer.alloc(statSync(file).size, 0xff));
  }
  // What the reader still remembers is answered; a write has to look at the file.
  const written = await admin.post("/v1/admin/secrets/A", { value: "v" });
  expect(written.status).toBe(500);
  expectNoInsides(stage, written.text);
  const health = await call(stage.site.url, { method: "GET", path: "/v1/health" });
  expect({ status: health.status, text: health.text.includes("malformed") }).toEqual({
    status: 503,
    text: false,
  });
});

test("a root key that is another one now makes health 503 with that reason, and 200 when it is back [fault: wrong-root-key]", async () => {
  await using stage = await startStage();
  const health = () => call(stage.site.url, { method: "GET", path: "/v1/health" });
  const canary = (change: string) => {
    using database = new Database(databaseOf(stage.site));
    database.run("PRAGMA busy_timeout=5000");
    database.run(`UPDATE facts SET value = ${change} WHERE name = 'root_key_canary'`);
  };
  expect((await health()).body).toEqual({ healthy: true });

  canary("'x' || value");
  const answer = await health();

  expect({ status: answer.status, reason: at(answer.body, "reason") }).toEqual({
    status: 503,
    reason:
      "The root key cannot be used, so stored tokens and secrets cannot be decrypted. The log has the reason.",
  });
  canary("substr(value, 2)");
  expect((await health()).status).toBe(200);
});

describe("a server that stops", () => {
  test("answers long polls at once and does not wait with them", async () => {
    const stage = await startStage();
    const { id } = await startConsent(stage);
    // Longer than a test may take: an answer shows that the stop ended the wait.
    const polling = api(stage.site.url, stage.keys.run).get(`/v1/auth/status?id=${id}&wait=59`);
    // The server has received the poll when it answers this.
    await fetch(`${stage.site.url}/v1/health`);
    await stage[Symbol.asyncDispose]();
    const answer = await polling;
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, status: "pending" });
  });

  test("finishes what is running", async () => {
    const stage = await startStage();
    await connect(stage, "alice");
    stage.site.chat.fail("users.info", { kind: "delay", ms: 300 });
    const running = api(stage.site.url, stage.keys.run).post("/v1/tools/execute", {
      tool_name: "Chat.WhoAmI",
      user_id: "alice",
    });
    while (stage.site.chat.calls("users.info") === 0) await Bun.sleep(1);
    await stage[Symbol.asyncDispose]();
    expect((await running).body).toMatchObject({ success: true });
  });
});
