// docs/audit.md is enough to write a verifier: its script, which shares no code with the product, finds what the product finds.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query, run } from "../../src/store";
import { type Original, original, tampered, TAMPERINGS } from "../audit/tamperings";
import { testWith } from "../support/require";
import { deploy, operator } from "../tools/deployment";

const PAGE = readFileSync(join(import.meta.dir, "../../docs/audit.md"), "utf8");
const ROWS = 1000;
// The script starts some forty programs.
setDefaultTimeout(30_000);
const DAY_MS = 24 * 3600_000;

const missing = ["sqlite3", "jq", "sha256sum", "openssl"].filter((program) => Bun.which(program) === null);
const testWithPrograms = testWith(missing.join(", ") || "sqlite3", missing.length === 0);

let folder: string;
let from: Original;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "runtime-test-"));
  writeFileSync(join(folder, "verify.sh"), /```sh\n([^]*?)```/.exec(PAGE)?.[1] ?? "");
  from = await original(folder, ROWS);
  writeFileSync(join(folder, "audit.pub"), from.key.publicKey());
  writeFileSync(join(folder, "heads.ndjson"), from.heads.map((head) => `${JSON.stringify(head)}\n`).join(""));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function verified(database: string, { key = join(folder, "audit.pub"), heads = "" } = {}) {
  const child = Bun.spawn(
    ["sh", join(folder, "verify.sh"), database, key, ...(heads === "" ? [] : [heads])],
    {
      stdout: "pipe",
      stderr: "pipe",
      env: { PATH: process.env["PATH"] ?? "" },
    },
  );
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output, errors };
}
const withHeads = (database: string) => verified(database, { heads: join(folder, "heads.ndjson") });

describe("the script of docs/audit.md", () => {
  testWithPrograms("accepts an intact trail", async () => {
    for (const result of [await verified(from.file), await withHeads(from.file)])
      expect(result).toEqual({
        code: 0,
        output: `The audit trail is intact (${ROWS + 20} rows).\n`,
        errors: "",
      });
  });

  testWithPrograms.each(TAMPERINGS.map((each) => [each.name, each] as const))(
    "finds: %s",
    async (_name, tampering) => {
      const file = tampered(from, tampering);
      const found = await (tampering.needsHead === true ? withHeads(file) : verified(file));

      expect(found.code).toBe(1);
      expect(found.output).toContain("'default'");
      if (tampering.needsHead === true) expect((await verified(file)).code).toBe(0);
    },
  );

  testWithPrograms("accepts a trail whose beginning was removed by retention, and no other one", async () => {
    await using deployment = await deploy({ environment: { RUNTIME_AUDIT_KEEP_DAYS: "5" } });
    const { runtime, clock } = deployment;
    await runtime.auditKeeper.prune();
    await runtime.secrets.upsert(operator(), "OLD", { value: "v" });
    for (let day = 0; day < 4; day++) {
      clock.move(2 * DAY_MS);
      await runtime.auditKeeper.prune();
    }
    await runtime.secrets.upsert(operator(), "NEW", { value: "v" });
    const [database, key] = [join(deployment.folder, "copy.db"), join(deployment.folder, "audit.pub")];
    writeFileSync(key, runtime.inspection.publicKey());
    const { store } = runtime.core;
    const copy = (): void => {
      rmSync(database, { force: true });
      const file = join(deployment.folder, ".local/share/runtime/runtime.db");
      Bun.spawnSync(["sqlite3", file, `.backup '${database}'`]);
    };
    copy();
    expect(existsSync(database)).toBe(true);
    expect(await verified(database, { key })).toMatchObject({ code: 0, errors: "" });
    await store.write(() => run(query("UPDATE audit_checkpoints SET created_at = created_at + 1")));
    copy();
    expect((await verified(database, { key })).output).toContain("the checkpoint is not signed");
  });

  testWithPrograms("refuses heads of another key", async () => {
    const [head] = from.heads;
    const file = join(folder, "forged.ndjson");
    writeFileSync(file, JSON.stringify({ ...head, signature: Buffer.alloc(64, 1).toString("base64") }));

    const { code, output } = await verified(from.file, { heads: file });
    expect(code).toBe(1);
    expect(output).toContain("the kept head is not signed");
  });
});
