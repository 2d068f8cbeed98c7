import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { catalogSettings } from "../../../catalogs/settings";
import { declarationsWith } from "../../../src/config";
import { jsonOf, newTerminal } from "../support/fake-io";

const ROOT_KEY = "A".repeat(43);

test("shows all keys with value, type, default, meaning and origin; secrets only as set", async () => {
  const { run, home } = newTerminal({ RUNTIME_ROOT_KEY: ROOT_KEY, RUNTIME_PORT: "8080" });
  mkdirSync(join(home, ".config", "runtime"), { recursive: true });
  const file = join(home, ".config", "runtime", "runtime.yaml");
  writeFileSync(file, "egress:\n  allow: [loopback, 10.0.0.0/8]\n");

  const ran = await run(["config", "show", "--project", "p", "-o", "json"]);

  const settings = jsonOf(ran);
  expect(settings).toHaveLength(Object.keys(declarationsWith(catalogSettings)).length);
  expect(settings).toContainEqual({
    key: "port",
    value: 8080,
    type: "integer",
    default: 9099,
    meaning: expect.any(String),
    origin: "environment RUNTIME_PORT",
    environment: "RUNTIME_PORT",
  });
  expect(settings).toContainEqual(
    expect.objectContaining({ key: "project", value: "p", origin: "flag --project" }),
  );
  expect(settings).toContainEqual(
    expect.objectContaining({
      key: "egress.allow",
      value: ["loopback", "10.0.0.0/8"],
      origin: `file ${file}`,
    }),
  );
  expect(settings).toContainEqual(expect.objectContaining({ key: "root_key", value: "set" }));
  expect(settings).toContainEqual(
    expect.objectContaining({
      key: "data_dir",
      value: join(home, ".local/share/runtime"),
      origin: "default",
    }),
  );
  expect(ran.stdout + ran.stderr).not.toContain(ROOT_KEY);
});

test("--origin adds a column for people", async () => {
  const { run } = newTerminal();

  const [plain, withOrigin] = [await run(["config", "show"]), await run(["config", "show", "--origin"])];

  expect(plain.stdout).not.toContain("ORIGIN");
  expect(withOrigin.stdout).toMatch(/^KEY +VALUE +ORIGIN +TYPE +DEFAULT +MEANING$/m);
});

test("shows the other settings without a home folder", async () => {
  const { run } = newTerminal({ HOME: "/" });

  const ran = await run(["config", "show", "-o", "json"]);

  expect(jsonOf(ran)).toContainEqual(expect.objectContaining({ key: "data_dir", value: null }));
});

test("reports a bad configuration in one line with file, key and rule", async () => {
  const { run, home } = newTerminal();
  const file = join(home, "bad.yaml");
  writeFileSync(file, "port: many\n");

  const { code, stdout, stderr } = await run(["keys", "list", "--config", file]);

  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toBe(`error: ${file}, line 1: "port" must be a port, 0 to 65535.\n`);
});

test("set creates a file that RUNTIME_CONFIG or --config names and that does not exist yet", async () => {
  const { run, home } = newTerminal({});
  const file = join(home, "named", "runtime.yaml");
  const ran = await run(["config", "set", "port", "8080", "--config", file]);

  expect(ran.code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("port: 8080\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("set writes a relative path as an absolute one, so that commands in all folders use the same", async () => {
  const { run, home } = newTerminal();
  const file = join(home, ".config", "runtime", "runtime.yaml");

  expect((await run(["config", "set", "data_dir", "da ta"])).code).toBe(0);
  expect((await run(["config", "set", "backup.folder", "~/backups"])).code).toBe(0);

  expect(Bun.YAML.parse(readFileSync(file, "utf8"))).toEqual({
    data_dir: join(process.cwd(), "da ta"),
    "backup.folder": "~/backups",
  });
});
