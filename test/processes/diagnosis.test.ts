// `runtime doctor --bundle` as a process: with and without a server, on damaged databases and on a full disk.
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, setDefaultTimeout, test } from "bun:test";
import { at } from "../support/api";
import { Installation } from "../support/runtime-process";
import { mountDisk, testOnDisk, unmountDisk } from "../support/small-disk";

// Several processes in each test.
setDefaultTimeout(60_000);

const PARTS = [
  "README.txt",
  "data-folder.json",
  "databases.json",
  "findings.json",
  "log.txt",
  "metrics.txt",
  "server.json",
  "settings.json",
  "status.json",
  "system.json",
  "version.json",
  "workers.json",
];

/** The parts of a bundle, by name. */
function unpacked(file: string): Record<string, string> {
  const folder = `${file}.d`;
  mkdirSync(folder);
  expect(Bun.spawnSync(["tar", "-xzf", file, "-C", folder]).exitCode).toBe(0);
  const inner = join(folder, "runtime-diagnosis");
  return Object.fromEntries(
    readdirSync(inner).map((name) => [name, readFileSync(join(inner, name), "utf8")]),
  );
}

const partOf = (parts: Record<string, string>, name: string): unknown => JSON.parse(parts[name] ?? "null");

test("with a running server, it has its state, its metrics and its last lines", async () => {
  await using installation = new Installation(undefined);
  const server = await installation.serve();
  const file = join(installation.home, "bundle.tar.gz");

  const made = await installation.json(["doctor", "--bundle", file]);
  const parts = unpacked(file);

  expect(made).toMatchObject({ file, bytes: statSync(file).size });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(Object.keys(parts).toSorted()).toEqual(PARTS);
  expect(partOf(parts, "server.json")).toMatchObject({ pid: server.pid });
  expect(parts["log.txt"]).toContain('"message":"serving"');
  expect(parts["metrics.txt"]).toContain("# TYPE runtime_healthy gauge");
  expect(at(partOf(parts, "databases.json"), "0.tables.api_keys.rows")).toBe(0);
  expect(partOf(parts, "settings.json")).toContainEqual({
    name: "egress.allow",
    value: ["loopback"],
    origin: "environment RUNTIME_EGRESS_ALLOW",
  });
});

test("without an installation it says so, and creates none", async () => {
  await using installation = new Installation(undefined);
  const file = join(installation.home, "bundle.tar.gz");

  const { code } = await installation.run(["doctor", "--bundle", file]);
  const parts = unpacked(file);

  expect(code).toBe(0);
  expect(partOf(parts, "status.json")).toEqual({ error: "There is no installation yet." });
  expect(parts["log.txt"]).toContain("--log FILE");
  expect(existsSync(join(installation.home, ".local"))).toBe(false);
});

test("with a damaged database it names the damage, and has the other parts", async () => {
  await using installation = new Installation(undefined);
  await installation.key("admin");
  const database = join(installation.home, ".local/share/runtime/runtime.db");
  writeSync(openSync(database, "r+"), new Uint8Array(8192).fill(7), 0, 8192, 0);
  const file = join(installation.home, "bundle.tar.gz");

  const { code } = await installation.run(["doctor", "--bundle", file]);
  const parts = unpacked(file);

  expect(code).toBe(0);
  expect(Object.keys(parts).toSorted()).toEqual(PARTS);
  expect(at(partOf(parts, "databases.json"), "0.damage")).toContain("not a database");
  expect(at(partOf(parts, "databases.json"), "1.damage")).toBeNull();
  expect(JSON.stringify(partOf(parts, "findings.json"))).toContain('"status":"problem"');
  expect(at(partOf(parts, "status.json"), "error")).toBeString();
  expect(parts["settings.json"]).toContain('"name": "port"');
});

test("with a configuration that is not valid it says what is wrong", async () => {
  await using installation = new Installation(undefined);
  installation.environment["RUNTIME_PORT"] = "many";
  const file = join(installation.home, "bundle.tar.gz");

  const { code } = await installation.run(["doctor", "--bundle", file]);
  const parts = unpacked(file);

  expect(code).toBe(0);
  expect(JSON.stringify(partOf(parts, "findings.json"))).toContain("must be a port");
  expect(at(partOf(parts, "settings.json"), "error")).toContain("must be a port");
});

test("never writes over a file without --force, nor through a link", async () => {
  await using installation = new Installation(undefined);
  const [file, link] = [join(installation.home, "kept"), join(installation.home, "link")];
  writeFileSync(file, "kept", { mode: 0o644 });
  symlinkSync(file, link);

  for (const existing of [file, link]) {
    const { code, stderr } = await installation.run(["doctor", "--bundle", existing]);
    expect(code).toBe(5);
    expect(stderr).toBe(`error: ${existing} exists. Give another name, or replace it with --force.\n`);
  }
  expect(readFileSync(file, "utf8")).toBe("kept");

  expect((await installation.run(["doctor", "--bundle", link, "--force"])).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("kept");
  expect((await installation.run(["doctor", "--bundle", file, "--force"])).code).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const ours = readdirSync(installation.home).filter((name) => !name.startsWith("."));
  expect(ours.toSorted()).toEqual(["kept", "link"]);
});

test.each([
  [["--log", "server.log"], 2, "--log needs --bundle"],
  [["--force"], 2, "--force needs --bundle"],
  [["--bundle", "-"], 2, "--bundle takes the name of a file"],
  [["--bundle", "absent/b.tar.gz"], 1, "does not exist"],
  [["--bundle", "b.tar.gz", "--log", "absent.log"], 3, "absent.log does not exist"],
  [["--bundle", "b.tar.gz", "--platform", "slack"], 2, "Give --bundle or --platform"],
  [["--bundle", "b.tar.gz", "--user", "alice"], 2, "--user needs --platform"],
])("refuses %j", async (words, expected, message) => {
  await using installation = new Installation(undefined);
  const { code, stderr } = await installation.run(["doctor", ...words]);
  expect(code).toBe(expected);
  expect(stderr).toContain(message);
  expect(existsSync(join(installation.home, "b.tar.gz"))).toBe(false);
});

testOnDisk("on a full disk it says so, and leaves nothing behind", async () => {
  const disk = mountDisk(1);
  if (disk === undefined) throw new Error("no disk");
  try {
    await using installation = new Installation(undefined);
    const filler = openSync(join(disk, "filler"), "w");
    try {
      for (;;) writeSync(filler, new Uint8Array(4096));
    } catch {
      // The disk is full.
    }
    const file = join(disk, "bundle.tar.gz");

    const { code, stderr } = await installation.run(["doctor", "--bundle", file]);

    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: ${file} cannot be read or written: no space left. Free space there, and try again.\n`,
    );
    expect(readdirSync(disk)).toEqual(["filler"]);
  } finally {
    unmountDisk(disk);
  }
});
