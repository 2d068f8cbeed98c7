// `runtime export` and `runtime apply` of a project's configuration.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { announceServer } from "../../../src/serving";
import { type Site, startSite } from "../../support/site";
import { jsonOf, newTerminal } from "../support/fake-io";

const PROVIDER = {
  id: "idp",
  description: "Sign in",
  oauth2: {
    client_id: "0012345678901234567890",
    client_secret: "hidden secret",
    scope_delimiter: ",",
    authorize_request: { endpoint: "https://idp.test/a", params: { prompt: "consent" } },
    token_request: { endpoint: "https://idp.test/t", auth_method: "client_secret_basic" },
  },
};

const SIGNING = `whsec_${btoa("hidden".repeat(5))}`;
const PLUGIN = {
  name: "Policy of sales",
  status: "active",
  retry: { enabled: true, max_attempts: 5 },
  webhook_config: {
    endpoints: {
      access: {
        url: "https://policy.test/a",
        phase: "after",
        failure_mode: "fail_open",
        timeout_ms: 700,
        cache_enabled: true,
      },
      pre: { url: "https://policy.test/p", phase: "before", failure_mode: "fail_closed", priority: 7 },
    },
    auth: { type: "bearer", token: "hidden-token" },
    health_check_path: "/health",
    signing_secret: SIGNING,
  },
};

/** A terminal with a project that has one record of every kind, and an empty project. */
async function filled() {
  const terminal = newTerminal({ RUNTIME_REDIRECTS_ALLOW: "verifier.test" });
  const { run } = terminal;
  await run(["providers", "create", "--file", "-"], { stdin: JSON.stringify(PROVIDER) });
  await run(["secrets", "set", "WORD", "-", "--description", "the word"], { stdin: "hidden word" });
  await run(["secrets", "set", "OTHER", "-"], { stdin: "hidden other" });
  await run(["settings", "update", "--verifier-url", "https://verifier.test/v"]);
  const made = await run(["plugins", "create", "--file", "-", "-o", "name"], {
    stdin: JSON.stringify(PLUGIN),
  });
  const again = ["--plugin", made.stdout.trim(), "--point", "tool.pre", "--priority", "8"];
  const hook = ["hooks", "create", "second look", "--failure-mode", "fail_open", "--timeout-ms", "900"];
  expect((await run([...hook, ...again])).stderr).toBe("");
  expect((await run(["projects", "create", "empty"])).code).toBe(0);
  return terminal;
}

const VALUES = {
  WORD: "hidden word",
  OTHER: "hidden other",
  IDP_CLIENT_SECRET: "hidden secret",
  PLUGIN_POLICY_OF_SALES_TOKEN: "hidden-token",
  PLUGIN_POLICY_OF_SALES_SIGNING_SECRET: SIGNING,
};

const READS = [
  "Reads variable IDP_CLIENT_SECRET for providers.0.oauth2.client_secret.",
  "Reads variable OTHER for secrets.0.value.",
  "Reads variable WORD for secrets.1.value.",
  "Reads variable PLUGIN_POLICY_OF_SALES_TOKEN for plugins.0.webhook_config.auth.token.",
  "Reads variable PLUGIN_POLICY_OF_SALES_SIGNING_SECRET for plugins.0.webhook_config.signing_secret.",
  "",
].join("\n");

test("export | apply --dry-run on an empty project, then apply, gives an equal export", async () => {
  const { run } = await filled();
  const { stdout: document } = await run(["export"]);
  expect(document).not.toMatch(/hidden|whsec_/);

  const into = (...flags: string[]) =>
    run(["apply", "-f", "-", "--project", "empty", ...flags], { stdin: document, env: VALUES });
  const planned = await into("--dry-run");
  expect(planned.stderr).toBe(`${READS}8 would change, 0 unchanged.\n`);
  expect((await run(["providers", "list", "-o", "json", "--project", "empty"])).stdout).toBe("[]\n");

  expect((await into()).stdout).toBe(planned.stdout);
  expect((await run(["export", "--project", "empty"])).stdout).toBe(document);
  const again = await into("--dry-run", "--detailed-exitcode");
  expect([again.code, again.stderr]).toEqual([0, `${READS}0 would change, 8 unchanged.\n`]);
});

test("export uses a different variable for each provider, even for similar ids", async () => {
  const { run } = newTerminal();
  for (const id of ["my-idp", "my.idp", "MY_IDP"]) {
    const { code } = await run(["apply", "-f", "-"], {
      stdin: JSON.stringify({ providers: [{ ...PROVIDER, id }] }),
    });
    expect(code).toBe(0);
  }
  const { stdout } = await run(["export"]);
  const variables = [...stdout.matchAll(/env: (\w+_CLIENT_SECRET)/g)].map(([, name]) => name);
  expect(new Set(variables).size).toBe(3);
});

test("export as JSON is the same document, with the origin of values", async () => {
  const { run } = await filled();

  const { stdout } = await run(["export", "-o", "json"]);

  expect(JSON.parse(stdout)).toEqual(Bun.YAML.parse((await run(["export"])).stdout) as object);
  expect(JSON.parse(stdout)).toMatchObject({
    session_verification: { verifier_url: "https://verifier.test/v" },
    providers: [{ id: "idp", oauth2: { client_secret_from: { env: "IDP_CLIENT_SECRET" } } }],
    secrets: [{ key: "OTHER" }, { key: "WORD", description: "the word", value_from: { env: "WORD" } }],
    gateways: [],
    plugins: [
      {
        name: "Policy of sales",
        webhook_config: {
          auth: { type: "bearer", token_from: { env: "PLUGIN_POLICY_OF_SALES_TOKEN" } },
          signing_secret_from: { env: "PLUGIN_POLICY_OF_SALES_SIGNING_SECRET" },
        },
      },
    ],
    hooks: [
      { plugin: "Policy of sales", hook_point: "tool.access", phase: "after", failure_mode: "fail_open" },
      { plugin: "Policy of sales", hook_point: "tool.pre", priority: 7, failure_mode: "fail_closed" },
      { plugin: "Policy of sales", name: "second look", priority: 8, timeout_ms: 900 },
    ],
  });
});

describe("apply", () => {
  test("changes only what differs and lists the fields", async () => {
    const { run } = await filled();
    const stdin = JSON.stringify({
      providers: [{ id: "idp", description: "Another", oauth2: { client_id: PROVIDER.oauth2.client_id } }],
      session_verification: { verifier_url: "https://verifier.test/v" },
    });

    const ran = await run(["apply", "-f", "-", "-o", "json"], { stdin });

    expect(jsonOf(ran)).toEqual([
      { kind: "session_verification", name: "project", action: "unchanged" },
      {
        kind: "provider",
        name: "idp",
        action: "update",
        fields: ["description"],
        differences: [{ field: "description", before: "Sign in", after: "Another" }],
      },
    ]);
    const shown = await run(["providers", "show", "idp", "-o", "json"]);
    expect(jsonOf(shown)).toMatchObject({
      description: "Another",
      oauth2: { client_secret: { exists: true }, token_request: { auth_method: "client_secret_basic" } },
    });
  });

  test("names a missing value and changes nothing", async () => {
    const { run } = await filled();
    const { stdout: document } = await run(["export"]);

    const ran = await run(["apply", "-f", "-", "--project", "empty"], { stdin: document });

    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("Missing: the value of the secret OTHER, the value of the secret WORD");
    expect((await run(["providers", "list", "-o", "json", "--project", "empty"])).stdout).toBe("[]\n");
  });

  test("names missing credentials of plugins and keeps existing ones", async () => {
    const { run } = await filled();
    const { stdout } = await run(["export", "-o", "json"]);
    const { plugins, hooks } = JSON.parse(stdout);
    const stdin = JSON.stringify({ plugins, hooks });
    const into = (...flags: string[]) => run(["apply", "-f", "-", "--project", "empty", ...flags], { stdin });
    const missing =
      "Missing: the token of the plugin Policy of sales, the signing secret of the plugin Policy of sales";

    const dry = await into("--dry-run");
    const refused = await into();

    expect([dry.code, dry.stderr]).toEqual([
      0,
      "Reads variable PLUGIN_POLICY_OF_SALES_TOKEN for plugins.0.webhook_config.auth.token, which is not set.\n" +
        "Reads variable PLUGIN_POLICY_OF_SALES_SIGNING_SECRET for plugins.0.webhook_config.signing_secret, which is not set.\n" +
        `4 would change, 0 unchanged.\n${missing}\n`,
    ]);
    expect([refused.code, refused.stderr.includes(missing)]).toEqual([1, true]);
    expect((await run(["plugins", "list", "-o", "json", "--project", "empty"])).stdout).toBe("[]\n");
    const changed = stdin.replace('"max_attempts":5', '"max_attempts":6');
    const kept = await run(["apply", "-f", "-", "-o", "ndjson"], { stdin: changed });
    expect(kept.stdout.split("\n")[0]).toContain('"action":"update","fields":["retry.max_attempts"]');
    expect(
      (await run(["export", "-o", "json"])).stdout.replace(/"max_attempts": ?6/, '"max_attempts": 5'),
    ).toBe(stdout);
  });

  test("moves hooks, finds them by name, and deletes none", async () => {
    const { run } = await filled();
    const hook = { plugin: "Policy of sales", hook_point: "tool.pre", failure_mode: "fail_closed" };
    const hooks = [
      { ...hook, name: "Policy of sales tool.pre", priority: 8 },
      { ...hook, name: "second look", priority: 7, failure_mode: "fail_open" },
      { ...hook, name: "third look", priority: 9 },
    ];
    const before = JSON.parse((await run(["hooks", "list", "-o", "json"])).stdout);

    const { stdout } = await run(["apply", "-f", "-", "--no-headers"], { stdin: JSON.stringify({ hooks }) });

    expect(stdout.split("\n").map((line) => line.split(/  +/))).toMatchObject([
      ["update", "hook", "Policy of sales tool.pre", "priority: 7 -> 8"],
      ["update", "hook", "second look", "priority: 8 -> 7"],
      ["create", "hook", "third look"],
      [""],
    ]);
    const after = JSON.parse((await run(["hooks", "list", "-o", "json"])).stdout);
    const priorities = (list: { id: string; priority: number }[]) =>
      Object.fromEntries(list.map(({ id, priority }) => [id, priority]));
    const swapped = Object.entries(priorities(before)).map(([id, priority]) => [
      id,
      priority === 0 ? 0 : 15 - priority,
    ]);
    expect(priorities(after)).toMatchObject(Object.fromEntries(swapped));
    expect(after).toHaveLength(4);
  });

  test("names the plugin that a hook needs", async () => {
    const stdin = JSON.stringify({
      hooks: [{ plugin: "x", hook_point: "tool.pre", failure_mode: "fail_open" }],
    });

    const { code, stderr } = await newTerminal().run(["apply", "-f", "-"], { stdin });

    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("hooks.0.plugin must be a plugin of the document or the project"),
    ]);
  });

  test("gives plugins with similar names separate variables", async () => {
    const { run } = await filled();
    const twin = JSON.stringify({
      ...PLUGIN,
      name: "policy-of-sales",
      webhook_config: { ...PLUGIN.webhook_config, endpoints: { post: PLUGIN.webhook_config.endpoints.pre } },
    });
    await run(["plugins", "create", "--file", "-"], { stdin: twin });

    const { stdout } = await run(["export"]);

    expect(stdout).toContain("PLUGIN_POLICY_OF_SALES_TOKEN");
    expect(stdout).toContain("PLUGIN_POLICY_OF_SALES_2_TOKEN");
  });

  test("takes values from files next to the document", async () => {
    const { run, home } = newTerminal();
    writeFileSync(join(home, "word"), "hidden\r\n");
    const file = join(home, "project.yaml");
    writeFileSync(file, "\uFEFFsecrets:\r\n  - key: WORD\r\n    value_from: {file: word}\r\n");

    expect((await run(["apply", "--file", file])).stdout).toMatch(/create +secret +WORD/);
    expect((await run(["secrets", "list", "-o", "name"])).stdout).toBe("WORD\n");
  });

  test.each([
    ["a list instead of a document", "[1]", "must contain one document", 1],
    ["invalid YAML", "a: [", "line 1, column 5: not valid YAML or JSON", 1],
    ["a field of the wrong type", "secrets: {}", "secrets must be array", 1],
    ["an unknown source", "secrets: [{key: A, value_from: {vault: x}}]", "{env: VARIABLE}", 1],
    ["a missing file", "secrets: [{key: A, value_from: {file: /none}}]", "cannot be read", 2],
  ])("refuses %s", async (_what, stdin, message, exit) => {
    const { code, stderr } = await newTerminal().run(["apply", "-f", "-"], { stdin });

    expect([code, stderr.includes(message), stderr]).toEqual([exit, true, stderr]);
  });
});

describe("against a server", () => {
  let site: Site;
  let key: string;
  beforeAll(async () => {
    site = await startSite();
    await announceServer(site.runtime.core, site.url);
    await site.addChatProvider();
    key = await site.key("admin");
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test.each([["export"], ["export -o json"], ["apply -f - --dry-run -o json"], ["apply -f - -o ndjson"]])(
    "%s prints the same",
    async (line) => {
      const { run } = newTerminal(site.environment);
      const hook = { plugin: "p", hook_point: "tool.pre", failure_mode: "fail_open" };
      const stdin = JSON.stringify({
        secrets: [{ key: "A", value: "x" }],
        plugins: [
          {
            name: "p",
            webhook_config: { endpoints: { pre: { url: "https://p.test/" } }, signing_secret: SIGNING },
          },
        ],
        hooks: [hook],
      });
      const anew = async () => {
        await run(["secrets", "delete", "A", "--yes"]);
        for (const noun of ["hooks", "plugins"])
          await run([noun, "delete", (await run([noun, "list", "-o", "name"])).stdout.trim(), "--force"]);
      };
      await anew();
      const here = await run(line.split(" "), { stdin });
      await anew();

      const there = await run([...line.split(" "), "--server", site.url], {
        stdin,
        env: { RUNTIME_API_KEY: key },
      });

      expect([there.code, there.stdout, there.stderr]).toEqual([0, here.stdout, here.stderr]);
    },
  );
});

test("a document exported over HTTP can be applied", async () => {
  const { stdout: document } = await (await filled()).run(["export"]);
  await using site = await startSite({ environment: { RUNTIME_REDIRECTS_ALLOW: "verifier.test" } });
  const env = { ...VALUES, RUNTIME_API_KEY: await site.key("admin") };
  const { run } = newTerminal();
  const there = (...words: string[]) => run([...words, "--server", site.url], { env, stdin: document });

  const planned = await there("apply", "-f", "-", "--dry-run");
  const applied = await there("apply", "-f", "-");

  expect([planned.stderr, applied.stdout]).toEqual([
    `${READS}8 would change, 0 unchanged.\n`,
    planned.stdout,
  ]);
  expect((await there("export")).stdout).toBe(document);
});
