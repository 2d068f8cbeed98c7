// A whole release: its files, what is in them, and what the programs of others say about them.
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { headersOf } from "../../build/headers";
import { plugins } from "../../build/plugins";
import { type Target, TARGETS } from "../../build/targets";
import { testWith } from "../support/require";
import {
  folderOfTests,
  outputOf,
  releaseIn,
  remove,
  ROOT,
  run,
  unpack,
  VERSION,
  withoutNpmOptions,
} from "./made";

const ALL: readonly Target[] = TARGETS;
const OWN = "linux-x64";
const folder = folderOfTests();
let release = "";
let output = "";
let own = "";

beforeAll(async () => {
  release = await releaseIn(folder);
  output = readFileSync(outputOf(release), "utf8");
  own = await unpack(archiveOf(OWN), folder);
}, 600_000);

afterAll(() => remove(folder));

function archiveOf(target: string): string {
  return join(release, `runtime-${VERSION}-${target}.tar.gz`);
}

test("has an archive and a package for each target, packages of Debian, images, the bill of materials, the installer and the sums", async () => {
  const files = readdirSync(release);
  const ofTargets = TARGETS.flatMap(({ name }) => [
    `runtime-${VERSION}-${name}.tar.gz`,
    `runtime-${name}-${VERSION}.tgz`,
  ]);
  const systems = ["amd64", "arm64"].flatMap((arch) => [
    `runtime_${VERSION}_${arch}.deb`,
    `runtime-${VERSION}-image-${arch}.oci.tar`,
  ]);
  const others = ["SHA256SUMS", "install.sh", `runtime-${VERSION}.cdx.json`, `runtime-${VERSION}.tgz`];

  expect(files.sort()).toEqual([...ofTargets, ...systems, ...others].sort());
  expect(existsSync(`${release}.partial`)).toBe(false);
});

test("the sums are those of all files", async () => {
  const checked = await run(["sha256sum", "--check", "--strict", "SHA256SUMS"], release);

  expect(checked.trim().split("\n")).toEqual(
    readdirSync(release)
      .filter((name) => name !== "SHA256SUMS")
      .sort()
      .map((name) => `${name}: OK`),
  );
});

test("the output says which executables were not run", () => {
  expect(output.split("\n")).toEqual(
    expect.arrayContaining([
      "linux-x64",
      "linux-arm64",
      "linux-x64-musl: built, not run here",
      "linux-arm64-musl: built, not run here",
      "darwin-arm64: built, not run here",
      "darwin-x64: built, not run here",
    ]),
  );
});

describe.each(ALL.map(({ name, os, arch, libc = "" }) => ({ name, os, arch, libc })))(
  "the archive for $name",
  ({ name, os, arch, libc }) => {
    const base = `runtime-${VERSION}-${name}`;

    test("has the executable, the licences, a page, the manual page, completions and documentation, and nothing else", async () => {
      const list = await run(["tar", "-tvzf", archiveOf(name)], folder, { LC_ALL: "C", TZ: "UTC" });
      const rows = list.trim().split("\n");
      const parts = new Set(rows.map((row) => row.replace(/.* \S+?\//, "").replace(/^docs\/.*/, "docs")));

      expect([...parts].sort()).toEqual([
        "LICENSES.txt",
        "README.md",
        "completions/_runtime",
        "completions/runtime.bash",
        "completions/runtime.fish",
        "docs",
        "man/runtime.1",
        "runtime",
      ]);
      expect(rows.filter((row) => !row.includes(` ${base}/`))).toEqual([]);
      expect(rows.filter((row) => !/^-rw(?:xr-xr-x|-r--r--) root\/root /.test(row))).toEqual([]);
      expect(rows.filter((row) => row.startsWith("-rwx"))).toHaveLength(1);
      expect(new Set(rows.map((row) => /\d{4}-\d\d-\d\d \d\d:\d\d/.exec(row)?.[0])).size).toBe(1);
    });

    testWith("file", Bun.which("file") !== null)("has an executable for it, judged by `file`", async () => {
      const home = name === OWN ? own : await unpack(archiveOf(name), folder);
      const kind = await run(["file", "--brief", join(home, "runtime")], folder);
      const { libraries } = headersOf(join(home, "runtime"));
      const page = readFileSync(join(home, "README.md"), "utf8");
      if (home !== own) remove(home);

      expect(kind).toContain(DESCRIPTIONS[`${os}-${arch}`] ?? "");
      expect(/interpreter \/lib(?:64)?\/ld-(linux|musl)-/.exec(kind)?.[1]).toBe(LOADERS[libc]);
      expect(libraries.filter((library) => !page.includes(`\`${library}\``))).toEqual([]);
      expect(page.includes("Built, not run here")).toBe(libc === "musl" || os === "darwin");
      expect(page.includes("macOS needs a signature")).toBe(os === "darwin");
    });
  },
);

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  "linux-x64": "ELF 64-bit LSB executable, x86-64",
  "linux-arm64": "ELF 64-bit LSB executable, ARM aarch64",
  "darwin-x64": "Mach-O 64-bit x86_64 executable",
  "darwin-arm64": "Mach-O 64-bit arm64 executable",
};

const LOADERS: Readonly<Record<string, string>> = { glibc: "linux", musl: "musl" };

test("the executable has no path of the checkout", async () => {
  const bytes = Buffer.from(await Bun.file(join(own, "runtime")).arrayBuffer());

  expect(bytes.includes("cli/main")).toBe(true);
  expect(bytes.includes(ROOT)).toBe(false);
});

test("every package whose files the bundler reads is among the licences, and in the bill of materials", async () => {
  const names = (await bundledPackages()).filter((name) => !REDIRECTS.includes(name));
  const licences = readFileSync(join(own, "LICENSES.txt"), "utf8");
  const titles = [...licences.matchAll(/^=+\n(\S+) [\d.]+\S*: \S.*\n=+\n\n(?=\S)/gm)].map(([, name]) => name);
  const bill = (await Bun.file(join(release, `runtime-${VERSION}.cdx.json`)).json()) as {
    components: { name: string; licenses: unknown[]; hashes?: unknown[] }[];
  };
  const components = bill.components.map(({ name }) => name);

  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !titles.includes(name))).toEqual([]);
  expect(names.filter((name) => !components.includes(name))).toEqual([]);
  expect(bill.components.filter(({ licenses }) => licenses.length === 0)).toEqual([]);
  // What a package brings in a file of its publisher, and what Bun brings.
  for (const inside of ["react-dom", "swagger-client", "JavaScriptCore", "HdrHistogram_c"])
    expect(licences).toContain(inside);
});

/** Packages whose only file hands on a module of Bun: nothing of them is left in the executable. */
const REDIRECTS = ["events-universal"];

test.each(REDIRECTS)("nothing of %s is in the executable", async (name) => {
  const file = Bun.resolveSync(name, join(ROOT, "node_modules/streamx"));

  expect(await Bun.file(file).text()).toMatch(/^module\.exports = require\('events'\)\n$/);
});

/** Asks the bundler itself, by another way than the release does. */
async function bundledPackages(): Promise<string[]> {
  const names = new Set<string>();
  const listener: Bun.BunPlugin = {
    name: "listener",
    setup: (build) => {
      build.onLoad({ filter: /node_modules/ }, ({ path }) => {
        names.add(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path);
        return undefined;
      });
    },
  };
  await Bun.build({
    entrypoints: [join(ROOT, "cli/main.ts")],
    target: "bun",
    plugins: [...plugins, listener],
  });
  return [...names].sort();
}

test("the bill of materials is valid CycloneDX 1.6", async () => {
  const text = await Bun.file(join(release, `runtime-${VERSION}.cdx.json`)).text();
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);

  expect(await validator.validate(text)).toBeNull();
  expect(await validator.validate(text.replace('"type": "library"', '"type": "shelf"'))).not.toBeNull();
});

test("the installer of the release installs it from its folder, and the executable runs", async () => {
  const home = mkdtempSync(join(folder, "home-"));
  await run(["sh", join(release, "install.sh"), "--from", release], folder, { HOME: home });
  const installed = join(home, ".local/bin/runtime");
  const said = JSON.parse(await run([installed, "version", "-o", "json"], home, { HOME: home })) as object;
  const completion = await run([installed, "completion", "bash"], home, { HOME: home });

  expect(said).toMatchObject({ version: VERSION, platform: "linux-x64", commit: expect.any(String) });
  expect(readFileSync(join(home, ".local/share/bash-completion/completions/runtime"), "utf8")).toBe(
    completion,
  );
});

function npmArchives(): string[] {
  return [`runtime-${VERSION}.tgz`, `runtime-${OWN}-${VERSION}.tgz`].map((name) => join(release, name));
}

test("npm installs the packages without a registry, and the script starts the executable", async () => {
  const home = mkdtempSync(join(folder, "npm-"));
  await run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--no-save", ...npmArchives()], home);
  const said = JSON.parse(
    await run(["npx", "--offline", "runtime", "version", "-o", "json"], home),
  ) as object;
  const wrong = Bun.spawnSync(["npx", "--offline", "runtime", "no-such-command"], {
    cwd: home,
    env: withoutNpmOptions(),
  });

  expect(said).toMatchObject({ version: VERSION, platform: "linux-x64" });
  expect([wrong.exitCode, wrong.stderr.toString()]).toEqual([2, expect.stringContaining("no-such-command")]);
});

test("one command starts the sandbox from the packages, and stops it", async () => {
  const home = mkdtempSync(join(folder, "npm-exec-"));
  const packages = npmArchives().flatMap((archive) => ["--package", archive]);
  const options = ["--yes", "--offline", "--cache", join(home, "cache"), ...packages];
  const sandbox = ["runtime", "sandbox", "--port", "0", "--data-dir", join(home, "data")];
  const child = Bun.spawn(["npm", "exec", ...options, "--", ...sandbox], {
    cwd: home,
    env: { ...withoutNpmOptions(), HOME: home },
    // A group of its own, as a terminal makes one for a command.
    detached: true,
    stdout: "ignore",
    stderr: "pipe",
  });
  let health: URL | undefined;
  try {
    health = new URL("/v1/health", await firstLine(child.stderr));
    expect((await fetch(health)).status).toBe(200);
  } finally {
    // Ctrl-C.
    process.kill(-child.pid, "SIGINT");
  }
  await child.exited;
  while (await answers(health)) await Bun.sleep(20);
});

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}

async function answers(address: URL): Promise<boolean> {
  try {
    await fetch(address);
    return true;
  } catch {
    return false;
  }
}

const MUSL = "/lib/ld-musl-x86_64.so.1";
const GNU = "/usr/lib/x86_64-linux-gnu";
testWith("musl and gcc", existsSync(MUSL) && Bun.which("gcc") !== null)(
  "the executable for musl starts with Debian's musl",
  async () => {
    const home = await unpack(archiveOf("linux-x64-musl"), folder);
    const libraries = join(home, "libraries");
    mkdirSync(libraries);
    symlinkSync(MUSL, join(libraries, "libc.musl-x86_64.so.1"));
    symlinkSync(join(GNU, "libstdc++.so.6"), join(libraries, "libstdc++.so.6"));
    symlinkSync("/lib/x86_64-linux-gnu/libgcc_s.so.1", join(libraries, "libgcc_s.so.1"));
    const shim = ["-shared", "-fPIC", "-nostdlib", "-w", "-Wl,-soname,ld-linux-x86-64.so.2"];
    const source = join(import.meta.dir, "musl-shim.c");
    await run(["gcc", ...shim, "-o", join(libraries, "ld-linux-x86-64.so.2"), source], home);
    const environment = { LD_LIBRARY_PATH: libraries, HOME: home };
    const said = await run([join(home, "runtime"), "version", "-o", "json"], home, environment);

    expect(JSON.parse(said)).toMatchObject({ version: VERSION, platform: "linux-x64" });
  },
);
