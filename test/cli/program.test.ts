// Parsing of command lines, without running them.
import { describe, expect, test } from "bun:test";
import type { Common } from "../../cli/command";
import { parse } from "../../cli/program";
import { nouns } from "../../cli/nouns";
import { fakeIo, newTerminal, jsonOf } from "./support/fake-io";

const DEFAULTS: Common = {
  dataDir: undefined,
  database: undefined,
  config: undefined,
  project: undefined,
  server: undefined,
  keyFile: undefined,
  timeout: undefined,
  output: "table",
  fields: undefined,
  headers: true,
};

const SERVE = { isDev: false, host: undefined, port: undefined, "tls.cert": undefined, "tls.key": undefined };

async function parsed(...argv: string[]) {
  const prepared = await parse(fakeIo(), argv);
  if (prepared === undefined) throw new Error("help was printed");
  return prepared;
}

describe("a command line", () => {
  test.each<[string[], string, object]>([
    [[], "", {}],
    [["serve", "--host", "0.0.0.0", "--port", "0"], "serve", { ...SERVE, host: "0.0.0.0", port: "0" }],
    [["serve"], "serve", SERVE],
    [["serve", "--port=8443"], "serve", { ...SERVE, port: "8443" }],
    [["serve", "--host=::1"], "serve", { ...SERVE, host: "::1" }],
    [
      ["serve", "--tls-cert", "server.pem", "--tls-key", "server.key"],
      "serve",
      { ...SERVE, "tls.cert": "server.pem", "tls.key": "server.key" },
    ],
    [["serve", "--port", "80", "--port", "81"], "serve", { ...SERVE, port: "81" }],
    [["init", "--user", "alice", "--yes"], "init", { user: "alice", yes: true }],
    [["config", "show", "--origin"], "config show", { origin: true }],
    [
      ["users", "invite", "bob", "--role", "auditor", "--name", "Bob"],
      "users invite",
      { user_id: "bob", role: "auditor", name: "Bob" },
    ],
    [["users", "update", "bob", "--role", "admin"], "users update", { user_id: "bob", role: "admin" }],
    [["users", "remove", "bob"], "users remove", { id: "bob", yes: false, force: false }],
    [["keys", "list"], "keys list", {}],
    [["keys", "show", "key_1"], "keys show", { id: "key_1" }],
    [
      ["keys", "create", "n", "--role", "read", "--user", "a", "--user", "b", "--expires", "90d"],
      "keys create",
      { name: "n", role: "read", users: ["a", "b"], expires_at: expect.stringMatching(/^20.*Z$/) },
    ],
    [["keys", "delete", "key_1"], "keys delete", { id: "key_1", yes: false, force: false }],
    [["keys", "rotate", "n", "--overlap", "90m"], "keys rotate", { name: "n", overlap_seconds: 5400 }],
    [["keys", "rotate", "n", "--overlap", "0"], "keys rotate", { name: "n", overlap_seconds: 0 }],
    [["clients", "list"], "clients list", {}],
    [["clients", "show", "cl_1"], "clients show", { id: "cl_1" }],
    [["clients", "revoke", "cl_1", "--yes"], "clients revoke", { id: "cl_1", yes: true, force: false }],
    [["workloads", "list"], "workloads list", {}],
    [["login", "https://r", "--device"], "login", { url: "https://r", device: true, withKey: false }],
    [["login", "https://r", "--with-key"], "login", { url: "https://r", device: false, withKey: true }],
    [["workloads", "show", "wl_1"], "workloads show", { id: "wl_1" }],
    [
      ["workloads", "create", "n", "--issuer", "i", "--audience", "a", "--subject", "s", "--role", "read"],
      "workloads create",
      { name: "n", issuer: "i", audience: "a", subject: "s", role: "read", users: undefined },
    ],
    [["workloads", "delete", "wl_1"], "workloads delete", { id: "wl_1", yes: false, force: false }],
    [
      ["secrets", "set", "K", "-"],
      "secrets set",
      { key: "K", source: { file: "-" }, description: undefined },
    ],
    [
      ["secrets", "set", "K", "--from-env", "V", "--description", "d"],
      "secrets set",
      { key: "K", source: { variable: "V" }, description: "d" },
    ],
    [
      ["secrets", "set", "K", "--from-file", "f"],
      "secrets set",
      { key: "K", source: { file: "f" }, description: undefined },
    ],
    [["secrets", "delete", "K"], "secrets delete", { id: "K", yes: false, force: false }],
    [["plugins", "test", "pl_1"], "plugins test", { id: "pl_1" }],
    [["plugins", "list", "--binding", "tenant"], "plugins list", { binding: "tenant" }],
    [
      ["hooks", "update", "hk_1", "--failure-mode", "fail_open", "--priority", "7"],
      "hooks update",
      { id: "hk_1", patch: { failure_mode: "fail_open", priority: 7 } },
    ],
    [["hooks", "bulk", "-"], "hooks bulk", { file: "-" }],
    [
      ["gateways", "create", "n", "--slug", "s", "--tool", "A.B", "--toolkit", "C", "--no-deprecated"],
      "gateways create",
      {
        name: "n",
        fields: {
          slug: "s",
          auth: undefined,
          userSource: undefined,
          tools: ["A.B"],
          toolkits: ["C"],
          deprecated: false,
          description: undefined,
          instructions: undefined,
          status: undefined,
        },
      },
    ],
    [["gateways", "list"], "gateways list", {}],
    [["gateways", "show", "s"], "gateways show", { gateway: "s" }],
    [["gateways", "slug", "s"], "gateways slug", { slug: "s" }],
    [["gateways", "delete", "s", "-y"], "gateways delete", { id: "s", yes: true, force: false }],
    [
      ["gateways", "connect", "s", "--client", "cursor", "--user", "alice", "--write"],
      "gateways connect",
      { gateway: "s", client: "cursor", user: "alice", keyVariable: undefined, stdio: false, write: true },
    ],
    [["mcp", "--gateway", "s", "--user", "alice"], "mcp", { gateway: "s", user: "alice" }],
    [["providers", "delete", "p", "-y"], "providers delete", { id: "p", yes: true, force: false }],
    [
      ["connections", "list", "--user", "a", "--provider", "p", "--limit", "5", "--offset", "10"],
      "connections list",
      { user_id: "a", provider_id: "p", limit: 5, offset: 10 },
    ],
    [
      ["connections", "delete", "ac_1"],
      "connections delete",
      { id: "ac_1", all: false, yes: false, force: false },
    ],
    [
      ["auth", "start", "slack", "--user", "a", "--scope", "x", "--scope", "y"],
      "auth start",
      { provider: "slack", user: "a", scopes: ["x", "y"], nextUri: undefined },
    ],
    [["auth", "status", "ar_1", "--wait", "59"], "auth status", { id: "ar_1", wait: 59 }],
    [
      ["tools", "list", "--toolkit", "Chat"],
      "tools list",
      {
        toolkit: "Chat",
        deprecated: true,
        versions: false,
        limit: undefined,
        offset: undefined,
      },
    ],
    [["scheduled", "list", "--limit", "5"], "scheduled list", { limit: 5 }],
    [["database", "copy", "--to", "postgres://u@db1/app"], "database copy", { to: "postgres://u@db1/app" }],
    [["database", "check", "--no-compare"], "database check", { to: undefined, compare: false }],
    [["scheduled", "show", "te_1"], "scheduled show", { id: "te_1" }],
    [["tools", "show", "Chat.WhoAmI"], "tools show", { name: "Chat.WhoAmI", user_id: undefined }],
    [
      ["tools", "authorize", "T", "--user", "a"],
      "tools authorize",
      { name: "T", user: "a", nextUri: undefined },
    ],
    [["version"], "version", {}],
    [["status"], "status", {}],
    [["completion", "zsh"], "completion", { shell: "zsh" }],
    [["help", "tools", "exec"], "help", { words: ["tools", "exec"] }],
    [["export"], "export", {}],
    [
      ["apply", "-f", "-", "--dry-run"],
      "apply",
      { file: "-", dryRun: true, prune: false, yes: false, detailed: false },
    ],
    [
      ["doctor", "--all"],
      "doctor",
      { all: true, platform: undefined, user: undefined, write: false, force: false },
    ],
    [
      ["doctor", "--platform", "google", "--user", "alice", "--write"],
      "doctor",
      { all: false, platform: "google", user: "alice", write: true, force: false },
    ],
    [["login", "https://run.test"], "login", { url: "https://run.test", device: false, withKey: false }],
    [["logout"], "logout", { url: undefined }],
    [["orgs", "show", "o"], "orgs show", { id: "o" }],
    [
      ["projects", "create", "p", "--org", "o", "--audience", "a"],
      "projects create",
      { id: "p", name: undefined, org_id: "o", audience: "a" },
    ],
    [
      ["projects", "update", "p", "--sign-in", "passkey"],
      "projects update",
      { id: "p", patch: { sign_in: "passkey" } },
    ],
    [["users", "sessions", "alice"], "users sessions", { user: "alice" }],
    [
      ["users", "sign-out", "alice", "--session", "bs_1"],
      "users sign-out",
      { user: "alice", session: "bs_1" },
    ],
    [["projects", "delete", "p", "--yes"], "projects delete", { id: "p", yes: true, force: false }],
    [
      ["settings", "update", "--no-verifier", "--unsafe-skip-verification", "off"],
      "settings update",
      { change: { verifier_url: null, unsafe_skip_verification: false } },
    ],
    [
      ["audit", "list", "--action", "key.", "--limit", "200"],
      "audit list",
      { filter: { action: "key." }, limit: 200, deployment: false },
    ],
    [
      ["executions", "list", "--tool", "Chat.WhoAmI", "--status", "failed"],
      "executions list",
      { filter: { tool: "Chat.WhoAmI", status: "failed" }, limit: undefined },
    ],
    [
      ["api", "get", "/v1/health", "--header", "X-A: b"],
      "api",
      { method: "GET", path: "/v1/health", input: undefined, headers: [["X-A", "b"]], include: false },
    ],
  ])("%j", async (argv, command, options) => {
    const prepared = await parsed(...argv);

    expect(prepared.command).toBe(command);
    expect(prepared.options).toEqual(options);
    expect(prepared.common).toEqual(DEFAULTS);
  });

  test("takes common flags before and after the command", async () => {
    const flags: Common = {
      dataDir: "/d",
      database: "postgres://u@db1/app",
      config: "/c.yaml",
      project: "p",
      server: "https://run.test",
      keyFile: "key",
      timeout: 5,
      output: "json",
      fields: ["id", "oauth2.client_id"],
      headers: false,
    };
    const words =
      "--data-dir /d --database postgres://u@db1/app --config /c.yaml --project p -o json --server https://run.test --key-file key --timeout 5 " +
      "--fields id,oauth2.client_id --no-headers";

    expect((await parsed(...words.split(" "), "keys", "list")).common).toEqual(flags);
    expect((await parsed("keys", "list", ...words.split(" "))).common).toEqual(flags);
  });
});

describe("tools exec", () => {
  const options = {
    name: "T",
    user: undefined,
    input: undefined,
    dryRun: false,
    browser: true,
    parameters: [] as string[],
  };

  test.each<[string[], object]>([
    [["T"], {}],
    [["T", "--user", "a", "--input", "{}", "--no-browser"], { user: "a", input: "{}", browser: false }],
    [["T", "--channel_name", "x", "--user", "a"], { user: "a", parameters: ["--channel_name", "x"] }],
    [["--channel_name", "x", "T"], { parameters: ["--channel_name", "x"] }],
    [["T", "--message", "-o yaml --user b"], { parameters: ["--message", "-o yaml --user b"] }],
    [["T", "--message=--user b"], { parameters: ["--message=--user b"] }],
    [
      ["T", "--value==SUM(A1:A2)", "--exclude-bots"],
      { parameters: ["--value==SUM(A1:A2)", "--exclude-bots"] },
    ],
    [["T", "value=@here"], { parameters: ["value=@here"] }],
    [["T", "--user", "a", "--", "value=--x"], { user: "a", parameters: ["--", "value=--x"] }],
    [["T", "--value", "-h"], { parameters: ["--value", "-h"] }],
  ])("%j", async (argv, expected) => {
    expect((await parsed("tools", "exec", ...argv)).options).toEqual({ ...options, ...expected });
  });

  test("is found after flags too", async () => {
    const prepared = await parsed("--data-dir", "/d", "-o", "json", "tools", "exec", "T", "--a", "b");

    expect(prepared.options).toEqual({ ...options, parameters: ["--a", "b"] });
    expect(prepared.common).toEqual({ ...DEFAULTS, dataDir: "/d", output: "json" });
  });
});

describe("exits 2 for a usage error and names it", () => {
  test.each<[string[], string]>([
    [["kyes"], "Unknown command 'kyes' (Did you mean keys?)"],
    [["keys"], "runtime keys takes list, show, create, delete"],
    [["apply", "-f", "x.yaml", "--dry-run=yes"], "--dry-run takes no value. See: runtime apply --help"],
    [["keys", "lits"], "Unknown command 'lits' (Did you mean list?)"],
    [["keys", "list", "more"], "Too many arguments"],
    [["keys", "create"], "Missing required argument 'name'"],
    [["keys", "create", "x", "--role"], "argument missing"],
    [["keys", "create", "x", "--role", "root"], "--role must be one of admin, run, read"],
    [["keys", "create", "x", "--expires", "soon"], "--expires takes a time"],
    [["keys", "rotate", "x", "--overlap", "31d"], "--overlap takes a duration"],
    [["keys", "rotate", "x", "--overlap", "1 week"], "--overlap takes a duration"],
    [["workloads", "create", "x", "--issuer", "i"], "--audience is required"],
    [["keys", "list", "-o", "xml"], "--output must be one of table, json, yaml"],
    [["keys", "list", "--outputt", "json"], "Did you mean --output?"],
    [["connections", "list", "--limit", "0"], "--limit takes a whole number, 1 or more"],
    [["connections", "list", "--limit", "-1"], "--limit takes a whole number, 1 or more"],
    [["connections", "list", "--limit", "2.5"], "--limit takes a whole number, 1 or more"],
    [["connections", "list", "--offset", "99999999999999999999"], "--offset takes a whole number"],
    [["auth", "status", "ar_1", "--wait", "x"], "--wait takes a whole number"],
    [["providers", "update", "slack"], "Nothing to change"],
    [["providers", "update", "slack", "--status", "on"], "--status must be one of active, inactive"],
    [["providers", "create"], "The id is missing"],
    [["providers", "delete", "slack"], "--yes"],
    [
      ["tools", "exec", "Chat.WhoAmI", "--user", "a", "--input", "missing.json"],
      "missing.json: the file does not exist",
    ],
    [
      ["tools", "exec", "Chat.WhoAmI", "--user", "a", "--input", "@missing.json"],
      "missing.json: the file does not exist",
    ],
    [["tools", "exec", "Chat.WhoAmI"], "--user USER"],
    [["auth", "start", "slack"], "--user USER"],
    [["init"], "--user USER"],
    [["secrets", "set", "K"], "--from-file FILE"],
    [["apply"], "--file is required"],
    [["serve", "--port"], "argument missing"],
    [["serve", "--host"], "argument missing"],
    [["serve", "--tls-cert"], "argument missing"],
    [["serve", "--tls-key"], "argument missing"],
    [["serve", "--prot", "80"], "Did you mean --port?"],
    [["serve", "now"], "Too many arguments"],
    [["serve", "--server", "https://run.test"], "does not take --server"],
    [["completion", "tcsh"], "The shell must be one of bash, zsh, fish"],
    [["help", "exit-code"], "Did you mean exit-codes?"],
    [["help", "toolz"], "Did you mean tools?"],
  ])("%j", async (argv, message) => {
    const { run } = newTerminal();

    const { code, stdout, stderr } = await run(argv);

    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test.each<[string[]]>([
    [["keys", "list", "--token=SECRET"]],
    [["providers", "create", "p", "--client-secret", "SECRET"]],
    [["providers", "create", "p", "--client-secret=SECRET"]],
  ])("exits 2 without repeating a value: %j", async (argv) => {
    const { run } = newTerminal();

    const { code, stdout, stderr } = await run([...argv, "-o", "json"]);

    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain("SECRET");
  });

  test.each(["-o json", "-ojson", "--output json", "--output=json"])(
    "exits 2 with a JSON error for: %s",
    async (flags) => {
      const { run } = newTerminal();

      const ran = await run(["kyes", ...flags.split(" ")]);

      expect(ran.code).toBe(2);
      expect(jsonOf(ran)).toEqual({ name: "usage", message: expect.stringContaining("kyes") });
    },
  );
});

describe("help", () => {
  test("lists every noun", async () => {
    const { code, stdout } = await newTerminal().run(["--help"]);

    expect(code).toBe(0);
    for (const { name } of nouns) expect(stdout).toContain(`\n  ${name} `);
  });

  test("of a command shows its flags, the common flags and examples", async () => {
    const { code, stdout } = await newTerminal().run(["keys", "create", "--help"]);

    expect(code).toBe(0);
    for (const text of [
      "--role <role>",
      "--data-dir <folder>",
      "Examples:",
      "runtime keys create my-agent",
    ]) {
      expect(stdout).toContain(text);
    }
  });

  test("gives examples that can be parsed", async () => {
    const verbs = (await Promise.all(nouns.map(({ load }) => load()))).flatMap((noun) => noun.verbs);

    for (const example of verbs.flatMap(({ examples }) => examples)) {
      const line = example
        // The id of a record, from another command.
        .replace(/"\$\([^)]*\)"/, "ID")
        .replace(/^.*(?:\| |\()(?=runtime )/, "")
        .replace(/\)$| [<>] \S+$| \| xargs .*$/, "");
      const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
      if (words.includes("--version")) continue;
      expect((await parsed(...words.slice(1))).command).not.toBe("");
    }
  });
});
