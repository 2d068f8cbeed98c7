// The installer: what it checks before it puts a file in place, and that it takes away what it put there.
import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { testWith } from "../support/require";
import { temporaryFolder } from "../support/temporary";
import { INSTALLER, makeRelease, programs, VERSION } from "./made-up-release";

/** Debian's, which knows nothing but what POSIX says. */
const SHELL = Bun.which("dash") ?? "/bin/sh";

interface Outcome {
  code: number;
  out: string;
  errors: string;
}

/** A home, a release, and the installer of it. */
async function site(targets?: string[], says?: string) {
  const folder = temporaryFolder();
  const release = join(folder, "release");
  const home = join(folder, "home");
  const temporary = join(folder, "tmp");
  mkdirSync(home);
  mkdirSync(temporary);
  await makeRelease(release, targets, says);
  const tools = await programs(join(folder, "programs"), LINUX_X64);
  const run = async (args: string[], more: Record<string, string> = {}): Promise<Outcome> => {
    const env = { HOME: home, PATH: `${tools}:/usr/bin:/bin`, TMPDIR: temporary, ...more };
    const child = Bun.spawn([SHELL, join(release, "install.sh"), ...args], {
      env,
      cwd: folder,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { code: await child.exited, out, errors };
  };
  return { folder, release, home, tools, temporary, run, installed: join(home, ".local/bin/runtime") };
}

/** All files below a folder. */
function filesIn(folder: string): string[] {
  return [...new Bun.Glob("**/*").scanSync({ cwd: folder, dot: true })].sort();
}

const LINUX_X64 = {
  uname: "case $1 in -s) echo Linux ;; -m) echo x86_64 ;; esac",
  ldd: "echo 'ldd (GNU libc) 2.36'",
};

const INSTALLED = [
  "bin/runtime",
  "share/bash-completion/completions/runtime",
  "share/doc/runtime/LICENSES.txt",
  "share/doc/runtime/README.md",
  "share/fish/vendor_completions.d/runtime.fish",
  "share/man/man1/runtime.1",
  "share/zsh/site-functions/_runtime",
];

test("installs from a folder, again, and removes what it installed", async () => {
  const { run, home, release, temporary, installed } = await site();

  const first = await run(["--from", release]);
  const second = await run(["--from", release]);

  expect([first.code, first.errors, second]).toEqual([0, "", first]);
  expect(first.out).toContain(`runtime ${VERSION} is installed: ${installed}`);
  expect(filesIn(join(home, ".local"))).toEqual(INSTALLED);
  expect(statSync(installed).mode & 0o777).toBe(0o755);
  expect(readdirSync(temporary)).toEqual([]);

  await Bun.write(join(home, ".local/share/doc/other/file"), "of another program");
  const removed = await run(["--uninstall"]);
  const again = await run(["--uninstall"]);

  expect([removed.code, again]).toEqual([0, removed]);
  expect(removed.out).toContain("Data and configuration were left as they are.");
  expect(filesIn(join(home, ".local"))).toEqual(["share/doc/other/file"]);
});

test("installs below --prefix, also a relative one, and says when its folder is not in PATH", async () => {
  const { run, folder, release, tools } = await site();

  const { code, out } = await run(["--from", "release", "--prefix", "here/the re"]);
  const known = await run(["--from", release, "--prefix", join(folder, "here/the re")], {
    PATH: `${tools}:/usr/bin:/bin:${join(folder, "here/the re/bin")}`,
  });

  expect(code).toBe(0);
  expect(out).toContain("is not in PATH");
  expect(known.out).not.toContain("PATH");
  expect(filesIn(join(folder, "here/the re"))).toEqual(INSTALLED);
});

test("replaces the file in one step: the old one stays whole for those that run it", async () => {
  const { run, release, installed } = await site();
  await run(["--from", release]);
  const before = statSync(installed).ino;

  await run(["--from", release]);

  expect(statSync(installed).ino).not.toBe(before);
});

test.each([
  [
    "--from and --base are missing",
    [],
    "Say where the files of the release are: --from DIR, or --base ADDRESS (or INSTALL_BASE).",
  ],
  ["the folder does not exist", ["--from", "absent"], "absent is not a folder."],
  ["an option has no value", ["--from"], "--from needs a value."],
  ["an option is unknown", ["--form", "x"], "Unknown option --form. See: sh install.sh --help"],
  [
    "a target is unknown",
    ["--from", "release", "--target", "plan9-x64"],
    "There is no executable for plan9-x64.",
  ],
  [
    "a target is not in the folder",
    ["--from", "release", "--target", "linux-arm64"],
    "has no runtime-9.8.7-linux-arm64.tar.gz",
  ],
  ["an address is not protected", ["--base", "http://releases.test/1"], "does not start with https://"],
  ["an address only looks local", ["--base", "http://localhost.test/1"], "does not start with https://"],
  [
    "an address only looks like loopback",
    ["--base", "http://127.0.0.1.test/1"],
    "does not start with https://",
  ],
  [
    "an address has a user that looks local",
    ["--base", "http://127.0.0.1:80@test/1"],
    "does not start with https://",
  ],
])("installs nothing if %s", async (_what, args, message) => {
  const { run, home } = await site();

  const { code, errors } = await run(args);

  expect(code).toBe(1);
  expect(errors).toStartWith("install.sh: ");
  expect(errors).toContain(message);
  expect(filesIn(home)).toEqual([]);
});

test.each([
  ["another system", { uname: "case $1 in -s) echo Plan9 ;; -m) echo x86_64 ;; esac" }, "for Plan9"],
  [
    "another processor",
    { uname: "case $1 in -s) echo Linux ;; -m) echo riscv64 ;; esac" },
    "the processor riscv64",
  ],
])("says that there is no executable for %s", async (_what, scripts, message) => {
  const { run, release, tools, home } = await site();
  await programs(tools, scripts);

  const { code, errors } = await run(["--from", release]);

  expect(code).toBe(1);
  expect(errors).toContain(message);
  expect(filesIn(home)).toEqual([]);
});

test.each([
  ["Linux", "x86_64", "echo 'ldd (GNU libc) 2.36'", "linux-x64"],
  ["Linux", "aarch64", "echo 'ldd (Debian GLIBC) 2.36'", "linux-arm64"],
  ["Linux", "x86_64", "echo 'musl libc (x86_64)' >&2; exit 1", "linux-x64-musl"],
  ["Linux", "arm64", "echo 'musl libc (aarch64)' >&2; exit 1", "linux-arm64-musl"],
  ["Darwin", "arm64", "exit 1", "darwin-arm64"],
  ["Darwin", "x86_64", "exit 1", "darwin-x64"],
])("%s on %s with `%s` gets %s", async (system, machine, ldd, target) => {
  const { run, release, tools, installed } = await site([target]);
  await programs(tools, {
    uname: `case $1 in -s) echo ${system} ;; -m) echo ${machine} ;; esac`,
    ldd,
    sysctl: "exit 1",
  });

  const { code } = await run(["--from", release]);

  expect(code).toBe(0);
  expect(readFileSync(installed, "utf8")).toContain(`# ${target}\n`);
});

test("a shell that macOS translates gets the executable of the real processor", async () => {
  const { run, release, tools, installed } = await site(["darwin-arm64"]);
  await programs(tools, {
    uname: "case $1 in -s) echo Darwin ;; -m) echo x86_64 ;; esac",
    sysctl: "echo 1",
  });

  await run(["--from", release]);

  expect(readFileSync(installed, "utf8")).toContain("# darwin-arm64\n");
});

const ARCHIVE = `runtime-${VERSION}-linux-x64.tar.gz`;

test.each<[string, (release: string) => Promise<unknown>, string]>([
  [
    "a byte of the archive is changed",
    async (release) => {
      const bytes = await Bun.file(join(release, ARCHIVE)).bytes();
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      await Bun.write(join(release, ARCHIVE), bytes);
    },
    "is not the file of the release: its SHA-256 is",
  ],
  [
    "the archive is cut off",
    async (release) => {
      const bytes = await Bun.file(join(release, ARCHIVE)).bytes();
      await Bun.write(join(release, ARCHIVE), bytes.slice(0, -20));
    },
    "is not the file of the release: its SHA-256 is",
  ],
  [
    "the sums do not name the archive",
    (release) => Bun.write(join(release, "SHA256SUMS"), `${"0".repeat(64)}  x${ARCHIVE}\n`),
    "does not have exactly one sum",
  ],
  [
    "the sums name the archive twice",
    async (release) => {
      const sums = await Bun.file(join(release, "SHA256SUMS")).text();
      await Bun.write(join(release, "SHA256SUMS"), `${"0".repeat(64)}  ${ARCHIVE}\n${sums}`);
    },
    "does not have exactly one sum",
  ],
  ["there are no sums", async (release) => rmSync(join(release, "SHA256SUMS")), "has no SHA256SUMS"],
])("keeps the installed version if %s", async (_what, damage, message) => {
  const { run, release, installed, home, temporary } = await site();
  await run(["--from", release]);
  await Bun.write(installed, "the version before");
  await damage(release);

  const { code, errors } = await run(["--from", release]);

  expect(code).toBe(1);
  expect(errors).toContain(message);
  expect(readFileSync(installed, "utf8")).toBe("the version before");
  expect(filesIn(join(home, ".local/bin"))).toEqual(["runtime"]);
  expect(readdirSync(temporary)).toEqual([]);
});

test("keeps the installed version if the new one does not start", async () => {
  const { run, release, installed, home } = await site(["linux-x64"], "Illegal instruction");
  mkdirSync(join(home, ".local/bin"), { recursive: true });
  await Bun.write(installed, "the version before");

  const { code, errors } = await run(["--from", release]);

  expect(code).toBe(1);
  expect(errors).toContain("The executable for linux-x64 does not start here: Illegal instruction");
  expect(readFileSync(installed, "utf8")).toBe("the version before");
  expect(filesIn(join(home, ".local/bin"))).toEqual(["runtime"]);
});

test("says so if a folder has the name of the executable, or cannot be written to", async () => {
  const { run, release, folder, home } = await site();
  mkdirSync(join(home, ".local/bin/runtime"), { recursive: true });
  await Bun.write(join(folder, "file"), "");

  const taken = await run(["--from", release]);
  const unwritable = await run(["--from", release, "--prefix", join(folder, "file/below")]);

  expect([taken.code, unwritable.code]).toEqual([1, 1]);
  expect(taken.errors).toContain("is a folder: choose another one with --prefix DIR.");
  expect(unwritable.errors).toContain("You cannot write to");
});

test("a script that was cut off does nothing", async () => {
  const { run, release, home } = await site();
  const path = join(release, "install.sh");
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  await Bun.write(path, lines.slice(0, -1).join("\n"));

  const { code, out } = await run(["--from", release]);

  expect([code, out, filesIn(home)]).toEqual([0, "", []]);
});

test("messages do not repeat an address, which may contain a password", async () => {
  const { run } = await site();

  const refused = await run(["--base", "http://user:canary@releases.test/"]);
  const failed = await run(["--base", "https://user:canary@127.0.0.1:9/"]);

  expect([refused.code, failed.code]).toEqual([1, 1]);
  expect(JSON.stringify([refused, failed])).not.toContain("canary");
});

test("never asks for another user's rights", () => {
  const text = readFileSync(INSTALLER, "utf8");

  expect(text).not.toMatch(/\b(?:sudo|doas|pkexec|su)\b/);
  expect(text).not.toMatch(/https?:\/\/(?!127\.0\.0\.1|localhost|\\\[::1)[a-z]/);
});

/** Serves a release on loopback; `cut` answers with a part of each archive. */
function serve(release: string, cut = false) {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const file = Bun.file(join(release, pathname.replace("/files/", "")));
      if (!(await file.exists())) return new Response("absent", { status: 404 });
      if (!cut || !pathname.endsWith(".gz")) return new Response(file);
      const bytes = await file.bytes();
      return new Response(bytes.slice(0, bytes.length >> 1));
    },
  });
}

for (const program of ["curl", "wget"]) {
  testWith(program, Bun.which(program) !== null)(`installs from an address with ${program}`, async () => {
    const { run, release, tools, installed } = await site();
    using server = serve(release);
    // Of the programs that download, the system has only this one.
    const path = await only(tools, program);

    const byOption = await run(["--base", `http://127.0.0.1:${server.port}/files/`], { PATH: path });
    rmSync(installed);
    const byVariable = await run([], {
      PATH: path,
      INSTALL_BASE: `http://127.0.0.1:${server.port}/files`,
    });

    expect([byOption, byVariable.code]).toEqual([{ ...byVariable }, 0]);
    expect(existsSync(installed)).toBe(true);
  });

  testWith(program, Bun.which(program) !== null)(
    `installs nothing if ${program} gets a part, or an error`,
    async () => {
      const { run, release, tools, home } = await site();
      using server = serve(release, true);
      const path = await only(tools, program);

      const part = await run(["--base", `http://127.0.0.1:${server.port}/files`], { PATH: path });
      const error = await run(["--base", `http://127.0.0.1:${server.port}/absent`], { PATH: path });

      expect([part.code, error.code]).toEqual([1, 1]);
      expect(part.errors).toContain("is not the file of the release");
      expect(error.errors).toContain("was not downloaded completely");
      expect(filesIn(home)).toEqual([]);
    },
  );
}

test("installs nothing if the connection ends in the middle of the archive", async () => {
  const { run, release, home } = await site();
  const sums = await Bun.file(join(release, "SHA256SUMS")).text();
  using server = Bun.listen<undefined>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data: (socket, data) => {
        const whole = data.toString().includes("SHA256SUMS");
        const body = whole ? sums : "x".repeat(100);
        const length = whole ? sums.length : 100_000;
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${body}`);
      },
    },
  });

  const { code, errors } = await run(["--base", `http://127.0.0.1:${server.port}`]);

  expect(code).toBe(1);
  expect(errors).toContain(`${ARCHIVE} was not downloaded completely`);
  expect(filesIn(home)).toEqual([]);
});

const BUSYBOX = Bun.which("busybox");
testWith("busybox", BUSYBOX !== null)("works with the programs of BusyBox, as on Alpine Linux", async () => {
  const { folder, release, home, installed } = await site(["linux-x64-musl"]);
  using server = serve(release);
  const tools = join(folder, "busybox");
  const names = [
    "awk",
    "cat",
    "chmod",
    "cp",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "rmdir",
    "sha256sum",
    "tar",
    "wget",
  ];
  await programs(tools, Object.fromEntries(names.map((name) => [name, `exec ${BUSYBOX} ${name} "$@"`])));
  await programs(tools, { uname: LINUX_X64.uname, ldd: "echo 'musl libc (x86_64)' >&2; exit 1" });
  const address = `http://127.0.0.1:${server.port}/files`;
  const child = Bun.spawn([BUSYBOX ?? "", "sh", join(release, "install.sh"), "--base", address], {
    env: { HOME: home, PATH: tools },
    stdout: "pipe",
    stderr: "pipe",
  });

  expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
  expect(readFileSync(installed, "utf8")).toContain("# linux-x64-musl\n");
});

testWith("shellcheck", Bun.which("shellcheck") !== null)("shellcheck finds nothing in it", () => {
  const { stdout, exitCode } = Bun.spawnSync(["shellcheck", "--shell", "sh", INSTALLER]);

  expect([stdout.toString(), exitCode]).toEqual(["", 0]);
});

/** A PATH with the programs that the installer needs, and one of those that download. */
async function only(tools: string, program: string): Promise<string> {
  const needed = [
    "awk",
    "cat",
    "chmod",
    "cp",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "rmdir",
    "sha256sum",
    "tar",
    "gzip",
  ];
  const paths = [...needed, program].map((name) => [name, `exec ${Bun.which(name)} "$@"`]);
  await programs(tools, Object.fromEntries(paths));
  chmodSync(tools, 0o755);
  return tools;
}
