// Every command, used in every wrong way: the exit code of the table, one line on standard error that says what to do, and
// nothing on standard output.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { FlagSpec, Verb } from "../../cli/command";
import { EXIT, OutputError } from "../../cli/errors";
import { nouns } from "../../cli/nouns";
import { commonFlags, main } from "../../cli/program";
import { fakeIo, type FakeIoOptions, newTerminal, type Ran } from "./support/fake-io";

interface Row {
  /** `keys create` */
  command: string;
  verb: Verb;
}

const ROWS: Row[] = [];
for (const { name, load } of nouns) {
  for (const verb of (await load()).verbs) {
    const own = verb.usage.split(" ", 1)[0] ?? "";
    ROWS.push({ command: own === name ? name : `${name} ${own}`, verb });
  }
}
const NAMED = ROWS.map((row) => [row.command, row] as const);

/** What a command needs beyond a word for each of its required words. */
const NEEDS: { readonly [command: string]: string } = {
  apply: "--file -",
  chat: "--model m hello",
  login: "--key-file /dev/null",
  mcp: "--gateway g --user a",
  "auth start": "--user a",
  "backup list": ".",
  "auth confirm-user": "--user a",
  "auth test-verifier": "--user a",
  "tools exec": "--user a",
  "tools authorize": "--user a",
  "projects update": "--name x",
  "providers create": "x --provider slack --client-id 1",
  "providers update": "--status inactive",
  "plugins create": "x --pre https://policy.example/pre",
  "plugins update": "--status inactive",
  "hooks create": "--plugin p --point tool.pre",
  "hooks update": "--priority 1",
  "gateways create": "",
  "workers create": "https://mcp.example/mcp --yes",
  "workloads create": "--issuer https://ci.example --audience a --subject s:t",
  "workers add": "https://mcp.example/mcp --yes",
  "workers import": "--yes",
  "connections add": "--from-env HOME --user a",
  "connections delete": "x",
  "users erase": "--yes",
  "users remove": "--yes",
  "users update": "--role member",
  "clients revoke": "--yes",
  "workers update": "--retry 1",
  "gateways update": "--status inactive",
  "gateways connect": "--user a",
  "models create": "--type openai --base-url http://127.0.0.1:1/v1",
  "models update": "--model m",
  "secrets set": "--from-env HOME",
  "settings update": "--no-verifier",
  init: "--user a --yes",
};

function wordsOf({ command, verb }: Row, word = "x"): string[] {
  const required = verb.usage.split(" ").filter((part) => part.startsWith("<"));
  const words = required.map((part) => WORDS[`${command} ${part}`] ?? word);
  const confirmed = command.endsWith(" delete") ? ["--yes"] : [];
  return [
    ...command.split(" "),
    ...words,
    ...confirmed,
    ...(NEEDS[command] ?? "").split(" ").filter(Boolean),
  ];
}

const WORDS: { readonly [place: string]: string } = {
  "api <method>": "GET",
  "api <path>": "/v1/caller",
  "completion <shell>": "bash",
  "login <url>": "https://runtime.example.com",
  "auth test-verifier <address>": "https://app.example.com/verify",
  "hooks bulk <file>": "-",
  "workers import <file>": join(import.meta.dir, "import", "one-server.json"),
  "tools exec <name>": "Chat.WhoAmI",
  "tools authorize <name>": "Chat.WhoAmI",
  "tools show <name>": "Chat.WhoAmI",
};

function expectOneLine(ran: Ran, code: number): void {
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([code, "", ran.stderr]);
  expect(ran.stderr).toMatch(/^error: [^\n]{10,}\n$/);
}

const run = (argv: readonly string[], options: FakeIoOptions = {}): Promise<Ran> =>
  newTerminal().run(argv, options);

function valuedFlags({ verb }: Row): FlagSpec[] {
  return (verb.flags ?? []).filter(({ flag }) => flag.includes("<"));
}

describe.each(NAMED)("%s", (_command, row) => {
  test("an unknown flag", async () => {
    const ran = await run([...wordsOf(row), ...(row.verb.open ? ["--bogus", "x"] : ["--bogus"])]);

    expectOneLine(ran, EXIT.usage);
    expect(ran.stderr).toMatch(/--bogus/);
    expect(ran.stderr).toMatch(/See: runtime |Did you mean|It takes/);
  });

  test("a flag without its value", async () => {
    for (const { flag } of [
      ...valuedFlags(row),
      ...commonFlags().filter((each) => each.flag.includes("<")),
    ]) {
      const name = flag.split(/[, ]/, 1)[0] ?? "";
      const ran = await run([...row.command.split(" "), name]);

      expectOneLine(ran, EXIT.usage);
    }
  });

  test("an output format that does not exist", async () => {
    const ran = await run([...wordsOf(row), "--output", "xml"]);

    expectOneLine(ran, EXIT.usage);
    expect(ran.stderr).toContain("--output must be one of");
  });
});

describe("too many words", () => {
  test.each(NAMED.filter(([, { verb }]) => !verb.usage.includes("...")))("%s", async (_command, row) => {
    expectOneLine(await run([...wordsOf(row), "one", "two", "three", "four"]), EXIT.usage);
  });
});

describe("a missing word", () => {
  test.each(NAMED.filter(([, { verb }]) => verb.usage.includes("<")))("%s", async (command) => {
    const ran = await run(command.split(" "));

    expectOneLine(ran, EXIT.usage);
    expect(ran.stderr).toMatch(
      new RegExp(`Usage: runtime ${command} .*<[\\w.-]+>.*\\. See: runtime ${command} --help`),
    );
  });
});

describe("a number that is none", () => {
  const numbers = NAMED.flatMap(([command, row]) =>
    valuedFlags(row)
      .filter(({ flag }) => /<(n|seconds|ms|count)>/.test(flag))
      .map(({ flag }) => [command, flag.split(" ", 1)[0] ?? "", row] as const),
  );

  test.each(numbers)("%s %s", async (_command, flag, row) => {
    const ran = await run([...wordsOf(row), flag, "many"]);

    expectOneLine(ran, EXIT.usage);
    expect(ran.stderr).toContain("takes a whole number");
  });
});

/** Commands that use no server: on this machine, or only on the data folder. */
const LOCAL = new Set([
  "init",
  "sandbox",
  "serve",
  "doctor",
  "login",
  "logout",
  "config show",
  "config path",
  "config set",
  "completion",
  "help",
  "version",
  "keys rotate-root",
  "log level",
  "log access",
  "projects create",
  "projects delete",
  // Its standard output is for an MCP client.
  "mcp",
  "audit verify",
  "audit forget-user",
  "audit heads",
  "audit public-key",
  "connections add",
  "backup create",
  "backup verify",
  "backup restore",
  "backup show",
  "backup list",
  "database migrate",
  "database copy",
  "database check",
]);
const REMOTE = NAMED.filter(([command]) => !LOCAL.has(command));

const KEY = { RUNTIME_API_KEY: `rt_${"x".repeat(49)}` };
/** Of `hooks bulk` and of `apply`. */
const inputOf = (command: string): FakeIoOptions => ({
  stdin: command === "apply" ? "secrets: []" : '{"configs":[]}',
});

describe("against a server that", () => {
  const answers: { status: number; name: string } = { status: 403, name: "forbidden" };
  let server: ReturnType<typeof Bun.serve>;
  beforeAll(() => {
    server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () =>
        Response.json({ name: answers.name, message: "No, ask for a key." }, { status: answers.status }),
    });
  });
  afterAll(() => server.stop(true));

  describe.each([
    ["refuses the role", 403, "forbidden", EXIT.credential],
    ["refuses the key", 401, "invalid_authorization", EXIT.credential],
    ["is busy", 429, "rate_limited", EXIT.rateLimited],
    ["knows no such record", 404, "not_found", EXIT.notFound],
    ["has one already", 400, "already_exists", EXIT.conflict],
  ])("%s", (_what, status, name, code) => {
    test.each(REMOTE)("%s", async (command, row) => {
      Object.assign(answers, { status, name });
      const ran = await run([...wordsOf(row), "--server", server.url.href], {
        env: KEY,
        ...inputOf(command),
      });

      // `api` prints what the server answers.
      if (command === "api") return expect([ran.code, ran.stdout]).toEqual([code, ran.stdout]);
      expectOneLine(ran, code);
    });
  });
});

test.each(REMOTE)("without a server that runs: %s", async (command, row) => {
  const ran = await run([...wordsOf(row), "--server", "http://127.0.0.1:1"], {
    env: KEY,
    ...inputOf(command),
  });

  expectOneLine(ran, EXIT.error);
  expect(ran.stderr).toContain("http://127.0.0.1:1 cannot be reached");
  expect(ran.stderr).toContain("that the server is running");
});

/** Commands whose first word is an id or a name, with the error for an unknown one. */
const BY_ID = NAMED.filter(([command, { verb }]) => {
  const [, word] = verb.usage.split(" ");
  return /^<(id|gateway|key|provider|name)>$/.test(word ?? "") && !/ (create|set)$/.test(command);
});

describe("an unknown id", () => {
  test.each(BY_ID)("%s", async (command, row) => {
    for (const id of ["nope", "x", "Nope.Nope", "ar_nope"]) {
      const words = wordsOf(row, id).map((word) => (word === "Chat.WhoAmI" ? id : word));

      expectOneLine(
        await run(command === "providers setup" ? [...command.split(" "), id] : words),
        EXIT.notFound,
      );
    }
  });
});

describe("a disk that is full", () => {
  const full = new OutputError("Standard output cannot be written: ENOSPC: no space left on device");

  test.each(
    NAMED.filter(([command]) => / (list|show)$|^(help|version|status|completion|export)$/.test(command)),
  )("%s", async (_command, row) => {
    const io = fakeIo({ env: newTerminal().env });
    const code = await main(wordsOf(row, "default"), {
      ...io,
      out: () => {
        throw full;
      },
    });

    // What does not exist is found before anything is printed.
    expect<number[]>([EXIT.error, EXIT.notFound, EXIT.ok]).toContain(code);
    if (code === EXIT.error) expect(io.stderr.trimEnd().split("\n").at(-1)).toBe(`error: ${full.message}`);
  });
});

describe("without a terminal", () => {
  test.each([
    [["login", "https://runtime.example.com"], "--key-file"],
    [["init"], "--user"],
    [["secrets", "set", "K"], "--from-file"],
    [["chat"], "terminal"],
  ])("%j needs its answers as flags", async (argv, hint) => {
    const ran = await run(argv);

    expectOneLine(ran, EXIT.usage);
    expect(ran.stderr).toContain(hint);
  });
});
