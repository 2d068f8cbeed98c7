// A full disk under a running server: no change without its audit entry, and with `audit.required` no export either.
import { Database } from "bun:sqlite";
import { expect, onTestFinished, test } from "bun:test";
import { join } from "node:path";
import { firstLine, MAIN, runProcess } from "../cli/support/processes";
import { api } from "../support/api";
import { temporaryFolder } from "../support/temporary";

test("a full disk leaves no change without its audit entry, and an intact chain [fault: full-disk]", async () => {
  const home = temporaryFolder();
  const env = { HOME: home, PATH: process.env["PATH"] ?? "", RUNTIME_AUDIT_REQUIRED: "true" };
  const created = await runProcess(["keys", "create", "x", "--role", "admin", "-o", "json"], { env });
  const script = `ulimit -f 3000; exec "$0" "$@"`;
  const child = Bun.spawn(["sh", "-c", script, process.execPath, MAIN, "serve", "--port", "0"], {
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  onTestFinished(() => child.kill("SIGKILL"));
  const admin = api(await firstLine(child.stderr), JSON.parse(created.stdout).key);
  expect((await admin.get("/v1/admin/manifest")).status).toBe(200);
  let stored = 0;
  // Large writes until one fails, then small ones, so that the disk is completely full.
  for (const size of [5000, 1]) {
    for (let count = 0; count < 2000; count++) {
      const answer = await admin.post(`/v1/admin/secrets/K_${size}_${count}`, { value: "x".repeat(size) });
      if (answer.status !== 200) break;
      stored++;
    }
  }
  const refused = await admin.post("/v1/admin/secrets/LAST", { value: "x" });
  const exported = await admin.get("/v1/admin/manifest");
  child.kill("SIGKILL");
  await child.exited;

  expect([refused.status, exported.status]).toEqual([503, 503]);
  using database = new Database(join(home, ".local/share/runtime/runtime.db"), { readonly: true });
  const count = (text: string): unknown => database.query(text).values()[0]?.[0];
  expect(count("SELECT COUNT(*) FROM secrets")).toBe(stored);
  expect(count("SELECT COUNT(*) FROM audit WHERE action = 'secret.upsert'")).toBe(stored);
  const verified = await runProcess(["audit", "verify"], { env });
  expect([verified.code, verified.stderr]).toEqual([0, expect.stringContaining("is intact")]);
});
