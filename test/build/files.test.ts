// The files of a release: archives with fixed bytes, sums, headers of executables, and what is fetched.
import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeArchive } from "../../build/archive";
import { commitOf, dateOfRelease, hasUncommittedChanges } from "../../build/commit";
import { headersOf } from "../../build/headers";
import { checkHeaders } from "../../build/headers-of-targets";
import { RUNTIME_VERSION, runtimeOf } from "../../build/runtimes";
import { writeSums } from "../../build/sums";
import { TARGETS, targetOf } from "../../build/targets";
import { testWith } from "../support/require";
import { temporaryFolder } from "../support/temporary";

const DATE = new Date("2020-02-02T02:02:02Z");

function output(command: string[], cwd = "."): string {
  return Bun.spawnSync(command, { cwd, env: { ...process.env, LC_ALL: "C", TZ: "UTC" } }).stdout.toString();
}

test("an archive has sorted entries with one date, one owner and two modes", async () => {
  const folder = temporaryFolder();
  const entries = [
    { name: "x/tool", content: "#!/bin/sh\n", executable: true },
    { name: "x/README.md", content: "text" },
    { name: "x/docs/a.md", content: new Uint8Array([1, 2, 3]) },
  ];
  const first = join(folder, "first.tar.gz");
  const second = join(folder, "second.tar.gz");
  await writeArchive(first, entries, DATE);
  await writeArchive(second, entries.toReversed(), DATE);

  expect(output(["tar", "-tvzf", first]).replaceAll(/ +/g, " ").trim().split("\n")).toEqual([
    "-rw-r--r-- root/root 4 2020-02-02 02:02 x/README.md",
    "-rw-r--r-- root/root 3 2020-02-02 02:02 x/docs/a.md",
    "-rwxr-xr-x root/root 10 2020-02-02 02:02 x/tool",
  ]);
  expect(await Bun.file(second).bytes()).toEqual(await Bun.file(first).bytes());
});

test("sums are what sha256sum checks, of all files but their own", async () => {
  const folder = temporaryFolder();
  await Bun.write(join(folder, "b"), "b");
  await Bun.write(join(folder, "a"), "a");
  await writeSums(folder);
  await writeSums(folder);

  expect(output(["sha256sum", "--check", "SHA256SUMS"], folder)).toBe("a: OK\nb: OK\n");
});

describe("the date of a release", () => {
  test("is that of the commit, or SOURCE_DATE_EPOCH", () => {
    const folder = temporaryFolder();
    const author = ["-c", "user.name=a", "-c", "user.email=a@test.invalid"];
    Bun.spawnSync(["git", "init", "--quiet"], { cwd: folder });
    Bun.spawnSync(["git", ...author, "commit", "--allow-empty", "--message", "one"], {
      cwd: folder,
      env: { ...process.env, GIT_COMMITTER_DATE: "2021-03-04T05:06:07+08:00" },
    });

    expect(commitOf(folder)).toEqual({
      commit: expect.stringMatching(/^[0-9a-f]{12}$/),
      date: "2021-03-04T05:06:07+08:00",
    });
    expect(dateOfRelease(folder, {})).toEqual(new Date("2021-03-03T21:06:07Z"));
    expect(dateOfRelease(folder, { SOURCE_DATE_EPOCH: "1600000000" })).toEqual(new Date(1_600_000_000_000));
  });

  test("is demanded outside of a checkout", () => {
    const folder = temporaryFolder();

    expect(() => dateOfRelease(folder, {})).toThrow("set SOURCE_DATE_EPOCH");
    expect(() => dateOfRelease(folder, { SOURCE_DATE_EPOCH: "yesterday" })).toThrow(
      "not a number of seconds",
    );
  });
});

test("a new file is a change that is not committed", async () => {
  const folder = temporaryFolder();
  Bun.spawnSync(["git", "init", "--quiet"], { cwd: folder });
  const before = hasUncommittedChanges(folder);
  await Bun.write(join(folder, "new"), "");

  expect([before, hasUncommittedChanges(folder)]).toEqual([false, true]);
});

describe("headers of executables", () => {
  testWith("readelf", Bun.which("readelf") !== null)("are those that readelf finds", () => {
    const found = headersOf(process.execPath);
    const dynamic = output(["readelf", "--dynamic", "--program-headers", "--wide", process.execPath]);
    const versions = output(["readelf", "--version-info", "--wide", process.execPath]);
    const newest = [...versions.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));

    expect(found.libraries).toEqual(
      [...dynamic.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name = ""]) => name),
    );
    expect(found.interpreter).toBe(/interpreter: (.*)\]/.exec(dynamic)?.[1]);
    expect(found.glibc).toBe(`2.${Math.max(...newest)}`);
    expect(found.arch).toBe(process.arch as "x64");
  });

  test("a target gets only what it is for", () => {
    const [own, ...others] = TARGETS.toSorted(({ name }) => (name === `linux-${process.arch}` ? -1 : 1));

    expect(checkHeaders(targetOf(own?.name ?? ""), process.execPath).format).toBe("ELF64");
    for (const other of others)
      expect(() => checkHeaders(other, process.execPath)).toThrow(`for ${other.name} has other headers`);
  });

  test.each([
    ["a script", "#!/bin/sh\nexit 0\n"],
    ["a cut-off executable", "\x7fELF\x02\x01"],
    ["an empty file", ""],
  ])("%s is refused", async (_what, text) => {
    const path = join(temporaryFolder(), "file");
    await Bun.write(path, text);

    expect(() => headersOf(path)).toThrow(/neither an ELF nor a Mach-O|cut off/);
  });
});

describe("the runtimes", () => {
  test("are pinned for the version in use, each with its own hash", () => {
    expect(RUNTIME_VERSION).toBe(Bun.version);
    expect(new Set(TARGETS.map(({ runtime }) => runtime.integrity)).size).toBe(TARGETS.length);
  });

  test("an archive with other bytes is refused", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "tarballs"));
    const { runtime } = targetOf("linux-arm64");
    await Bun.write(join(folder, "tarballs", `oven-bun-linux-aarch64-${RUNTIME_VERSION}.tgz`), "other bytes");

    await expect(runtimeOf(runtime, join(folder, "out"), join(folder, "tarballs"))).rejects.toThrow(
      "is not @oven/bun-linux-aarch64 1.4.5: its hash is sha512-",
    );
  });

  test("a folder without the archive is said, with the command that gets it", async () => {
    const folder = temporaryFolder();

    await expect(runtimeOf(targetOf("darwin-x64").runtime, folder, folder)).rejects.toThrow(
      "is missing: run npm pack @oven/bun-darwin-x64@1.4.5 there.",
    );
  });

  test("an unknown target is refused with the names of all", () => {
    expect(() => targetOf("windows-x64")).toThrow(
      "Unknown target windows-x64. Targets: linux-x64, linux-arm64, linux-x64-musl, linux-arm64-musl, darwin-arm64, darwin-x64.",
    );
  });
});
