// One rule for everything that deletes: it asks at a terminal, needs --yes elsewhere, and --force for what is in use.
import { Upstream } from "../support/mcp-upstream";
import { describe, expect, test } from "bun:test";
import { nouns } from "../../cli/nouns";
import { at } from "../support/api";
import { testOnSqlite } from "../support/on-sqlite";
import { jsonOf, newTerminal } from "./support/fake-io";
import { startAtTerminal } from "./support/processes";

type Terminal = ReturnType<typeof newTerminal>;
const SALES = ["--project", "sales"];

async function idOf({ run }: Terminal, ...argv: string[]): Promise<string> {
  const ran = await run([...argv, "-o", "json"]);
  expect([ran.code, ran.stderr]).toEqual([0, ran.stderr]);
  return String(at(jsonOf(ran), "id"));
}

/** How each noun gets a record that is not in use, and one that is. Resolve to the word that deletes it. */
const MAKE: { [noun: string]: (terminal: Terminal) => Promise<string> } = {
  keys: (terminal) => idOf(terminal, "keys", "create", "agent"),
  providers: (terminal) =>
    idOf(terminal, "providers", "create", "slack", "--provider", "slack", "--client-id", "1.2"),
  gateways: async (terminal) => {
    await terminal.run(["gateways", "create", "Support"]);
    return "support";
  },
  secrets: async ({ run }) => {
    await run(["secrets", "set", "KEY", "-"], { stdin: "x" });
    return "KEY";
  },
  models: async ({ run }) => {
    await run(["models", "create", "m", "--type", "openai", "--base-url", "http://127.0.0.1:1/v1"]);
    return "m";
  },
  plugins: async (terminal) => {
    const id = await pluginOf(terminal, "inactive");
    const hook = await hookOf(terminal);
    await terminal.run(["hooks", "delete", hook, "--yes"]);
    return id;
  },
  hooks: async (terminal) => {
    await pluginOf(terminal, "inactive");
    return hookOf(terminal);
  },
  projects: async ({ run }) => {
    await run(["projects", "create", "sales"]);
    return "sales";
  },
  workers: async ({ run }) => {
    await using upstream = new Upstream({ methods: { "tools/list": () => ({ tools: [] }) } });
    const env = { RUNTIME_EGRESS_ALLOW: `127.0.0.1:${upstream.port}` };
    await run(["workers", "create", upstream.url, "--id", "peer", "--yes"], { env });
    return "peer";
  },
  workloads: (terminal) => {
    const from = ["--issuer", "https://token.example", "--audience", "https://runtime.example.com"];
    return idOf(terminal, "workloads", "create", "deploy", ...from, "--subject", "repo:acme/app:ref:main");
  },
};
const IN_USE: { [what: string]: [noun: string, make: (terminal: Terminal) => Promise<string>] } = {
  "the last admin key": ["keys", (terminal) => idOf(terminal, "keys", "create", "ops", "--role", "admin")],
  "a hook in force": [
    "hooks",
    async (terminal) => {
      await pluginOf(terminal, "active");
      return hookOf(terminal);
    },
  ],
  "a project with a key": [
    "projects",
    async (terminal) => {
      await terminal.run(["projects", "create", "sales"]);
      await terminal.run(["keys", "create", "agent", ...SALES]);
      return "sales";
    },
  ],
};

async function pluginOf(terminal: Terminal, status: string): Promise<string> {
  return idOf(terminal, "plugins", "create", "p", "--pre", "https://policy.example/pre", "--status", status);
}

async function hookOf({ run }: Terminal): Promise<string> {
  return (await run(["hooks", "list", "-o", "name"])).stdout.trim();
}

async function deletingNouns(): Promise<string[]> {
  const loaded = await Promise.all(
    nouns.map(async ({ name, load }) => [name, (await load()).verbs] as const),
  );
  return loaded
    .filter(([, verbs]) => verbs.some(({ usage }) => usage.startsWith("delete ")))
    .map(([name]) => name);
}

test("every noun that deletes has a row here", async () => {
  // A connection needs a consent: `tool-run.test.ts`.
  expect((await deletingNouns()).filter((noun) => noun !== "connections").toSorted()).toEqual(
    Object.keys(MAKE).toSorted(),
  );
});

test("every deletion takes --yes and --force with the same meaning", async () => {
  for (const noun of await deletingNouns()) {
    const { stdout } = await newTerminal().run([noun, "delete", "--help"]);

    expect(stdout).toMatch(/-y, --yes +do not ask for confirmation\n/);
    expect(stdout).toMatch(/--force +delete also what is in use; do not ask at all\n/);
    // A line that is copied from the help asks.
    expect(stdout.split("Options:")[0]).not.toMatch(/--yes|--force/);
  }
});

describe.each(Object.keys(MAKE))("%s delete", (noun) => {
  test("asks at a terminal, and deletes only after a yes", async () => {
    const terminal = newTerminal();
    const id = (await MAKE[noun]?.(terminal)) ?? "";

    const kept = await terminal.run([noun, "delete", id], { answers: [false] });
    const deleted = await terminal.run([noun, "delete", id], { answers: [true] });
    const gone = await terminal.run([noun, "delete", id, "--yes"]);

    expect([kept.code, kept.io.prompted.length, kept.stderr]).toEqual([1, 1, "Nothing was deleted.\n"]);
    expect([deleted.code, deleted.io.prompted.length]).toEqual([0, 1]);
    expect([gone.code, gone.stdout]).toEqual([3, ""]);
  });

  test("needs --yes without a terminal", async () => {
    const terminal = newTerminal();
    const id = (await MAKE[noun]?.(terminal)) ?? "";

    const refused = await terminal.run([noun, "delete", id]);
    const deleted = await terminal.run([noun, "delete", id, "--yes"]);

    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("--yes");
    expect(deleted.code).toBe(0);
  });
});

describe.each(Object.keys(IN_USE))("%s", (what) => {
  const [noun, make] = IN_USE[what] ?? ["", async () => ""];

  test("needs its name at a terminal, also with --yes", async () => {
    const terminal = newTerminal();
    const id = await make(terminal);

    const other = await terminal.run([noun, "delete", id, "--yes"], { answers: ["y"] });
    const named = await terminal.run([noun, "delete", id], { answers: [id] });

    expect([other.code, other.stderr]).toEqual([1, "Nothing was deleted.\n"]);
    expect(named.io.prompted[0]).toContain(`Type ${id} to confirm`);
    expect(named.code).toBe(0);
  });

  test("needs --force without a terminal", async () => {
    const terminal = newTerminal();
    const id = await make(terminal);

    const refused = await terminal.run([noun, "delete", id, "--yes"]);
    const deleted = await terminal.run([noun, "delete", id, "--force"]);

    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("--force");
    expect(deleted.code).toBe(0);
  });
});

test("an admin key that is not the last one needs only --yes", async () => {
  const terminal = newTerminal();
  const first = await idOf(terminal, "keys", "create", "a", "--role", "admin");
  await idOf(terminal, "keys", "create", "b", "--role", "admin");

  expect((await terminal.run(["keys", "delete", first, "--yes"])).code).toBe(0);
});

testOnSqlite("Ctrl-C at the question deletes nothing", async () => {
  const terminal = newTerminal();
  const id = (await MAKE["keys"]?.(terminal)) ?? "";

  const screen = startAtTerminal(["keys", "delete", id], terminal.env);
  await screen.shows("Revoke the API key");
  screen.type("\u0003");

  expect(await screen.exited).toBe(130);
  expect((await terminal.run(["keys", "show", id])).code).toBe(0);
});
