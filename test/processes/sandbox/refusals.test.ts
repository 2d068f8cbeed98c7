// What the sandbox refuses, each with one line that says what to do, and without a change.
import { afterAll, beforeAll, describe, expect, onTestFinished, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/free-port";
import { testIfAllowed, testWith } from "../../support/require";
import {
  finished,
  FROM_SOURCE,
  type Ran,
  type SandboxProcess,
  startRefused,
  startSandboxProcess,
} from "../../support/sandbox-process";

// Each start takes seconds on a busy machine.
setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), "runtime-sandbox-no-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PATH = "/usr/bin:/bin";
const inFolder = (name: string): string => join(folder, name);
const refused = (args: readonly string[], env: Record<string, string> = { HOME: folder }): Promise<Ran> =>
  startRefused([...FROM_SOURCE, "sandbox", ...args], { PATH, ...env });

function expectOneLine({ code, stdout, stderr }: Ran, expected: number, ...texts: string[]): void {
  expect([stdout, stderr]).toEqual(["", expect.stringMatching(/^error: [^\n]+\n$/)]);
  for (const text of texts) expect(stderr).toContain(text);
  expect(code).toBe(expected);
}

/** A program that listens on a port until the test is over. */
function taken(port = 0): number {
  const other = Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => undefined } });
  onTestFinished(() => other.stop(true));
  return other.port;
}

describe("a folder", () => {
  test.each([
    [
      "with files of others",
      (place: string) => writeFileSync(join(place, "photo.jpg"), "mine"),
      "not a folder",
    ],
    [
      "with the data of an installation",
      (place: string) => writeFileSync(join(place, "runtime.db"), "data"),
      "the data folder of an installation",
    ],
  ])("%s is left alone", async (name, fill, text) => {
    const place = inFolder(name);
    mkdirSync(place);
    fill(place);
    const before = readdirSync(place);

    expectOneLine(await refused(["--data-dir", place]), 5, place, text, "--data-dir");
    expectOneLine(await refused(["--data-dir", place, "--reset"]), 5, place, text);

    expect(readdirSync(place)).toEqual(before);
  });

  test("that is a symbolic link is left alone, and so is what it leads to", async () => {
    const [real, link] = [inFolder("real"), inFolder("link")];
    mkdirSync(real);
    writeFileSync(join(real, "sandbox.json"), '{"sandbox":1}');
    symlinkSync(real, link);

    expectOneLine(await refused(["--data-dir", link, "--reset"]), 5, "symbolic link");

    expect(readdirSync(real)).toEqual(["sandbox.json"]);
  });

  test("whose data folder is a symbolic link is left alone", async () => {
    const [real, place] = [inFolder("real-data"), inFolder("linked-data")];
    mkdirSync(real);
    writeFileSync(join(real, "runtime.db"), "data");
    mkdirSync(place);
    writeFileSync(join(place, "sandbox.json"), '{"sandbox":1}');
    symlinkSync(real, join(place, "data"));

    expectOneLine(await refused(["--data-dir", place, "--reset"]), 5, "symbolic link", join(place, "data"));

    expect(readFileSync(join(real, "runtime.db"), "utf8")).toBe("data");
  });

  test("that is a file", async () => {
    writeFileSync(inFolder("file"), "");

    expectOneLine(await refused(["--data-dir", inFolder("file")]), 5, "is not a folder");
  });

  test("with the state of another version is kept until --reset", async () => {
    const place = inFolder("later");
    mkdirSync(place);
    writeFileSync(join(place, "sandbox.json"), '{"sandbox":2}');

    expectOneLine(await refused(["--data-dir", place]), 1, "was not written by this version", "--reset");

    expect(readFileSync(join(place, "sandbox.json"), "utf8")).toBe('{"sandbox":2}');
  });
});

describe("the home folder", () => {
  test("is missing", async () => {
    expectOneLine(await refused([], {}), 1, "no home folder", "runtime sandbox --data-dir FOLDER");
  });

  test("is that of accounts without one", async () => {
    expectOneLine(await refused([], { HOME: "/" }), 1, "no home folder");
  });

  test("does not exist and cannot be created", async () => {
    expectOneLine(await refused([], { HOME: "/proc/none" }), 1, "cannot be written", "--data-dir");
  });

  testWith("a user other than root", Bun.which("setpriv") !== null && process.getuid?.() === 0)(
    "is read-only",
    async () => {
      const home = inFolder("read-only");
      mkdirSync(home);
      chmodSync(home, 0o555);
      chmodSync(folder, 0o755);
      const line = [
        "setpriv",
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
        ...FROM_SOURCE,
        "sandbox",
      ];

      expectOneLine(await startRefused(line, { PATH, HOME: home }), 1, "cannot be written", "--data-dir");

      expect(readdirSync(home)).toEqual([]);
    },
  );

  test("is not used for --data-dir", async () => {
    const place = inFolder("without-home");
    const started = await startSandboxProcess(FROM_SOURCE, ["--data-dir", place, "--port", "0"], { PATH });

    expect(started.printed.data_dir).toBe(place);
    expect(await started.stop()).toBe(0);
  }, 60_000);
});

describe("a port", () => {
  test("is taken: nothing is created", async () => {
    const port = taken();
    const place = inFolder("taken");

    expectOneLine(
      await refused(["--data-dir", place, "--port", String(port)]),
      1,
      `Port ${port} is taken`,
      "--port",
    );

    expect(existsSync(place)).toBe(false);
  });

  test("of a platform is taken at a later start: it is named, and the data stays", async () => {
    const place = inFolder("later-taken");
    const env = { PATH, HOME: folder };
    const first = await startSandboxProcess(FROM_SOURCE, ["--data-dir", place, "--port", "0"], env);
    const platform = Number(new URL(first.printed.upstreams.mcp).port);
    await first.stop();
    taken(platform);

    expectOneLine(await refused(["--data-dir", place]), 1, `Port ${platform}`, "--reset");

    expect(JSON.parse(readFileSync(join(place, "sandbox.json"), "utf8"))).toHaveProperty("keys");
  }, 60_000);

  test.each(["-1", "65536", "http", "9099.5"])("is not one: %s", async (port) => {
    expectOneLine(await refused(["--port", port]), 2, "--port takes");
  });
});

testIfAllowed("making a network namespace", Bun.spawnSync(["unshare", "-n", "true"]).success)(
  "a machine that cannot reach itself is told so",
  async () => {
    const line = ["unshare", "-n", ...FROM_SOURCE, "sandbox", "--data-dir", inFolder("alone")];

    expectOneLine(
      await startRefused(line, { PATH, HOME: folder }),
      1,
      "loopback interface",
      "ip link set lo up",
    );
  },
);

describe("while it runs", () => {
  let running: SandboxProcess;
  const place = inFolder("running");
  beforeAll(async () => {
    const args = ["--data-dir", place, "--port", String(freePort())];
    running = await startSandboxProcess(FROM_SOURCE, args, { PATH, HOME: folder });
  }, 60_000);
  afterAll(() => running[Symbol.asyncDispose]());

  test.each([[[]], [["--port", "0"]], [["--reset"]], [["--reset", "--port", "0"]]])(
    "a second one on its folder is refused: %p",
    async (args) => {
      expectOneLine(await refused(["--data-dir", place, ...args]), 5, "is running", "Ctrl-C");

      expect((await fetch(`${running.printed.address}/v1/health`)).status).toBe(200);
    },
  );

  test("it listens on this machine only", () => {
    const { stdout } = Bun.spawnSync(["cat", "/proc/net/tcp", "/proc/net/tcp6"]);
    const port = Number(new URL(running.printed.address).port);
    const own = [port, Number(new URL(running.printed.upstreams.mcp).port)].map((one) =>
      one.toString(16).toUpperCase().padStart(4, "0"),
    );
    const listening = stdout
      .toString()
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local = "", , state]) => state === "0A" && own.includes(local.split(":")[1] ?? ""));

    expect(listening.map(([, local = ""]) => local.split(":")[0])).toEqual(["0100007F", "0100007F"]);
  });

  test("variables of an installation do not reach it, and printed commands leave them out", async () => {
    const env = {
      PATH,
      HOME: folder,
      RUNTIME_DATA_DIR: inFolder("real-installation"),
      RUNTIME_HOST: "0.0.0.0",
      RUNTIME_ROOT_KEY: "not a key",
    };
    const own = inFolder("variables");
    const started = await startSandboxProcess(FROM_SOURCE, ["--data-dir", own, "--port", "0"], env);
    const [send = ""] = started.printed.commands;

    const sent = await finished(["sh", "-c", send], env);

    expect([sent.code, sent.stderr]).toEqual([0, ""]);
    expect(send).toStartWith("env -u RUNTIME_DATA_DIR -u RUNTIME_HOST -u RUNTIME_ROOT_KEY ");
    expect(existsSync(inFolder("real-installation"))).toBe(false);
    expect(lstatSync(join(own, "data", "runtime.db")).isFile()).toBe(true);
    await started.stop();
  }, 60_000);
});
