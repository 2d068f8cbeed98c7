// The root key is kept outside: by age, by an HSM (SoftHSM), by systemd. Programs that hang, fail, print nothing or another
// key stop the start and are named; what they print is never shown.
import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { silentLog } from "../../src/base";
import { createRuntime, type Runtime } from "../../src/runtime";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { testWith } from "../support/require";
import { temporaryFolder } from "../support/temporary";
import { printFigure } from "./figure";

const KEY = Buffer.from(crypto.getRandomValues(new Uint8Array(32)));
const TEXT = KEY.toString("base64");
const OTHER = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");

type Settings = Record<string, string>;

const command = (...argv: string[]): Settings => ({ RUNTIME_ROOT_KEY_COMMAND: JSON.stringify(argv) });
const next = (...argv: string[]): Settings => ({ RUNTIME_ROOT_KEY_NEXT_COMMAND: JSON.stringify(argv) });
const printing = (text: string): string[] => ["printf", "%s\\n", text];

async function opened(home: string, settings: Settings): Promise<Runtime> {
  const config = loadConfig({ environment: { HOME: home, ...settings } });
  return createRuntime(config, NO_EXTENSIONS, { log: silentLog });
}

/** Stores a secret with one runtime and reads it with another. */
async function storesAndReads(settings: Settings, home = temporaryFolder()): Promise<string | undefined> {
  const first = await opened(home, settings);
  await first.secrets.upsert(await first.identity.operator("default"), "A", { value: "kept" });
  await first.close();
  expect(readdirSync(home, { recursive: true }).filter((name) => String(name).endsWith("root.key"))).toEqual(
    [],
  );
  return value(home, settings);
}

async function value(home: string, settings: Settings): Promise<string | undefined> {
  const runtime = await opened(home, settings);
  try {
    return await runtime.secrets.value("default", "A");
  } finally {
    await runtime.close();
  }
}

/** Why a start with these settings fails. */
async function refusal(settings: Settings, home = temporaryFolder()): Promise<string> {
  return opened(home, settings).then(
    () => "started",
    (error: unknown) => String(error),
  );
}

function run(argv: string[], options: { env?: Record<string, string>; stdin?: string } = {}): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(argv, {
    env: { PATH: process.env["PATH"] ?? "", ...options.env },
    ...(options.stdin === undefined ? {} : { stdin: new TextEncoder().encode(options.stdin) }),
  });
  if (exitCode !== 0) throw new Error(`${argv.join(" ")}: ${stderr.toString()}`);
  return stdout.toString();
}

function script(text: string): string {
  const file = join(temporaryFolder(), "program");
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe("a command", () => {
  test.each([
    ["base64", printing(TEXT)],
    ["hex", printing(KEY.toString("hex"))],
    ["bytes", ["sh", "-c", `printf ${TEXT} | base64 -d`]],
  ])("prints the key as %s", async (_form, argv) => {
    expect(await storesAndReads(command(...argv))).toBe("kept");
  });

  test("is started without a shell, without our secrets and without input", async () => {
    const seen = join(temporaryFolder(), "seen");
    const program = script(`{ env; printf 'args:%s\\n' "$@"; cat; } > ${seen}\nprintf ${TEXT}`);
    const settings = { ...command(program, "$(id); `id` *"), RUNTIME_API_KEY: "canary-key" };
    process.env["RUNTIME_TEST_CANARY"] = "canary-key";
    expect(await storesAndReads(settings)).toBe("kept");
    delete process.env["RUNTIME_TEST_CANARY"];
    const text = readFileSync(seen, "utf8");
    expect(text).toContain("args:$(id); `id` *\n");
    expect(text).not.toContain("canary-key");
  });

  const TIMEOUT = { RUNTIME_ROOT_KEY_COMMAND_TIMEOUT: "1" };
  const FAILURES: [string, string[], RegExp][] = [
    ["hangs", ["sleep", "8"], /root_key\.command: sleep did not end within 1 s\. Run it by hand/],
    ["leaves a process that hangs", ["sh", "-c", "sleep 8 & exit 3"], /did not end within 1 s|exit code 3/],
    ["prints nothing", ["true"], /root_key\.command: true printed nothing\. Run it by hand/],
    [
      "fails",
      ["sh", "-c", `echo "no token ${TEXT}" >&2; exit 7`],
      /exit code 7\..*It wrote: no token \[redacted\]/,
    ],
    ["prints without end", ["yes", TEXT], /root_key\.command: yes printed more than a root key/],
    ["prints something else", printing(`${TEXT}${TEXT}`), /root_key\.command is not a root key/],
    ["does not exist", ["/nonexistent/kms"], /\/nonexistent\/kms cannot be started\. Use its absolute path/],
    ["controls the terminal", ["sh", "-c", "printf '\\033[2J' >&2; exit 1"], /It wrote: \\x1b\[2J/],
  ];
  test.each(FAILURES)("that %s stops the start by name", async (_what, argv, message) => {
    const text = await refusal({ ...command(...argv), ...TIMEOUT });
    expect(text).toMatch(message);
    expect(text).not.toContain(TEXT);
    expect(text).not.toContain(KEY.toString("hex"));
  });

  test("that prints another key stops the start by name, and changes nothing", async () => {
    const home = temporaryFolder();
    await storesAndReads(command(...printing(TEXT)), home);
    expect(await refusal(command(...printing(OTHER)), home)).toMatch(
      /The root key of root_key\.command is not the one that this database was created with/,
    );
    expect(await value(home, command(...printing(TEXT)))).toBe("kept");
    printFigure(
      "root key from outside, faults",
      `${FAILURES.length + 1} of ${FAILURES.length + 1} stop the start by name`,
    );
  });

  test("and another setting for the root key are refused together", async () => {
    const text = await refusal({ ...command(...printing(TEXT)), RUNTIME_ROOT_KEY: TEXT });
    expect(text).toContain("root_key and root_key.command are set");
    expect(text).not.toContain(TEXT);
  });
});

describe("a rotation", () => {
  test("makes the key of the next command current, also for a running server", async () => {
    const home = temporaryFolder();
    const settings = { ...command(...printing(TEXT)), ...next(...printing(OTHER)) };
    await storesAndReads(settings, home);
    await using server = disposable(await opened(home, settings));
    await using terminal = disposable(await opened(home, settings));
    await terminal.runtime.rotation.rotateRoot(await terminal.runtime.identity.operator("default"));
    expect(await server.runtime.secrets.value("default", "A")).toBe("kept");
    expect(await value(home, settings)).toBe("kept");
    expect(await value(home, command(...printing(OTHER)))).toBe("kept");
    expect(await refusal(command(...printing(TEXT)), home)).toContain("root_key.command");
    // The old key may be gone before the settings change.
    expect(await value(home, { ...command("false"), ...next(...printing(OTHER)) })).toBe("kept");
  });

  test.each([
    ["without a next key", [], /Store a new key next to it, set root_key\.next_command to it/],
    ["to the same key", printing(TEXT), /root_key\.next_command gives the root key that is already in use/],
    ["to a key that changes", ["head", "-c", "32", "/dev/urandom"], /gives another key each time/],
    ["to a command that prints nothing", ["true"], /root_key\.next_command: true printed nothing/],
  ])("%s is refused before anything changes", async (_what, argv, message) => {
    const home = temporaryFolder();
    const current = command(...printing(TEXT));
    await storesAndReads(current, home);
    const runtime = await opened(home, { ...current, ...(argv.length === 0 ? {} : next(...argv)) });
    const rotated = runtime.rotation.rotateRoot(await runtime.identity.operator("default"));
    expect(String(await rotated.catch((error: unknown) => error))).toMatch(message);
    await runtime.close();
    expect(await value(home, current)).toBe("kept");
  });
});

function disposable(runtime: Runtime): AsyncDisposable & { runtime: Runtime } {
  return { runtime, [Symbol.asyncDispose]: () => runtime.close() };
}

const AGE = Bun.which("age");
testWith("age", AGE !== null)("age decrypts the key", async () => {
  const folder = temporaryFolder();
  const [identity, sealed] = [join(folder, "identity"), join(folder, "root.age")];
  run(["age-keygen", "-o", identity]);
  const recipient = /age1\w+/.exec(readFileSync(identity, "utf8"))?.[0] ?? "";
  run(["age", "-r", recipient, "-o", sealed], { stdin: TEXT });
  expect(await storesAndReads(command("age", "-d", "-i", identity, sealed))).toBe("kept");
  expect(await refusal(command("age", "-d", "-i", "/nonexistent", sealed))).toMatch(
    /age failed with the exit code 1/,
  );
});

const MODULE = "/usr/lib/softhsm/libsofthsm2.so";
const HSM = Bun.which("pkcs11-tool") !== null && Bun.which("softhsm2-util") !== null;
testWith("pkcs11-tool with SoftHSM", HSM)("an HSM gives the key", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "tokens"));
  const [config, data] = [join(folder, "softhsm2.conf"), join(folder, "data")];
  writeFileSync(config, `directories.tokendir = ${join(folder, "tokens")}\nobjectstore.backend = file\n`);
  writeFileSync(data, TEXT);
  const env = { SOFTHSM2_CONF: config };
  const pin = join(folder, "pin");
  writeFileSync(pin, "1234");
  run(
    ["softhsm2-util", "--init-token", "--free", "--label", "runtime", "--pin", "1234", "--so-pin", "5678"],
    { env },
  );
  const tool = ["pkcs11-tool", "--module", MODULE, "--token-label", "runtime", "--login", "--pin", "1234"];
  const object = ["--type", "data", "--label", "root key"];
  run([...tool, ...object, "--write-object", data, "--private"], { env });
  // The PIN is not an argument of the command: others could see it.
  const program = script(
    `export SOFTHSM2_CONF=${config}\nPIN=$(cat ${pin}) exec pkcs11-tool --module ${MODULE} --token-label runtime --login ` +
      `--pin env:PIN --type data --label "root key" --read-object`,
  );
  expect(await storesAndReads(command(program))).toBe("kept");
  writeFileSync(pin, "9999");
  expect(await refusal(command(program))).toMatch(/program failed with the exit code 1.*It wrote: .*PIN/s);
});

const CREDS = Bun.which("systemd-creds");
const hasCreds =
  CREDS !== null &&
  // To standard output: it replaces the file that it is given, and /dev/null would be a plain file from then on.
  Bun.spawnSync([CREDS, "encrypt", "--with-key=host", "--name=root.key", "-", "-"], {
    stdin: new TextEncoder().encode(TEXT),
  }).exitCode === 0;
testWith("systemd-creds", hasCreds)("systemd-creds decrypts the key", async () => {
  const sealed = join(temporaryFolder(), "root.key");
  run([CREDS ?? "", "encrypt", "--with-key=host", "--name=root.key", "-", sealed], { stdin: TEXT });
  expect(await storesAndReads(command(CREDS ?? "", "decrypt", "--name=root.key", sealed, "-"))).toBe("kept");
  expect(await refusal(command(CREDS ?? "", "decrypt", "--name=other", sealed, "-"))).toContain(
    "exit code 1",
  );
});

describe("a systemd credential", () => {
  /** As systemd makes it: a private folder with files that only the service can read. */
  function credentials(text: string): { CREDENTIALS_DIRECTORY: string } {
    const folder = join(temporaryFolder(), "credentials");
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, "root.key"), text, { mode: 0o400 });
    writeFileSync(join(folder, "next.key"), OTHER, { mode: 0o400 });
    chmodSync(folder, 0o500);
    return { CREDENTIALS_DIRECTORY: folder };
  }

  test("contains the key, and a rotation takes the next one", async () => {
    const home = temporaryFolder();
    const settings = {
      ...credentials(TEXT),
      RUNTIME_ROOT_KEY_CREDENTIAL: "root.key",
      RUNTIME_ROOT_KEY_NEXT_CREDENTIAL: "next.key",
    };
    expect(await storesAndReads(settings, home)).toBe("kept");
    const runtime = await opened(home, settings);
    await runtime.rotation.rotateRoot(await runtime.identity.operator("default"));
    await runtime.close();
    expect(await value(home, { ...settings, RUNTIME_ROOT_KEY_CREDENTIAL: "next.key" })).toBe("kept");
    printFigure("root key from outside", "age, SoftHSM, systemd-creds and a credential start and rotate");
  });

  test.each([
    ["outside of a service", {}, /CREDENTIALS_DIRECTORY is not.*LoadCredentialEncrypted=root\.key/],
    [
      "that is missing",
      { CREDENTIALS_DIRECTORY: dirname(import.meta.dir) },
      /credential root\.key cannot be read/,
    ],
    [
      "with a path",
      { CREDENTIALS_DIRECTORY: "/", RUNTIME_ROOT_KEY_CREDENTIAL: "../etc/passwd" },
      /without a folder/,
    ],
  ])("%s stops the start by name", async (_what, environment, message) => {
    const settings: Settings = { RUNTIME_ROOT_KEY_CREDENTIAL: "root.key", ...environment };
    const attempt = async () => refusal(settings);
    expect(await attempt().catch((error: unknown) => String(error))).toMatch(message);
  });
});
