// `runtime apply`: all or nothing, the plan, pruning, exit codes, sources of values.
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonOf, newTerminal } from "../support/fake-io";

const GATEWAY = { name: "Support", slug: "support", auth_type: "arcade_header" };
const PLUGIN = { name: "policy", webhook_config: { endpoints: { pre: { url: "https://policy.test/" } } } };
const HOOK = { plugin: "policy", name: "first", hook_point: "tool.pre", failure_mode: "fail_open" };
const FULL = {
  secrets: [
    { key: "WORD", value: "hidden one" },
    { key: "OTHER", value: "hidden two" },
  ],
  providers: [
    {
      id: "idp",
      oauth2: {
        client_id: "1",
        authorize_request: { endpoint: "https://i.test/a" },
        token_request: { endpoint: "https://i.test/t" },
      },
    },
  ],
  gateways: [GATEWAY, { ...GATEWAY, name: "Sales", slug: "sales" }],
  plugins: [PLUGIN, { ...PLUGIN, name: "old" }],
  hooks: [HOOK, { ...HOOK, plugin: "old", name: "second", priority: 1 }],
  models: [{ id: "local", openai: {} }],
};

function project() {
  const { run, home } = newTerminal();
  const apply = (document: object, ...flags: string[]) =>
    run(["apply", "-f", "-", ...flags], { stdin: JSON.stringify(document) });
  const exported = async () => (await run(["export"])).stdout;
  return { run, home, apply, exported };
}

describe("all or nothing", () => {
  test.each([[[]], [["--dry-run"]]])(
    "a slug of another project undoes everything before it (%j)",
    async (flags) => {
      const { run, apply, exported } = project();
      await run(["projects", "create", "second"]);
      await apply({ gateways: [GATEWAY] }, "--project", "second");
      const before = await exported();

      const refused = await apply(FULL, ...flags);

      expect([refused.code, refused.stdout]).toEqual([5, ""]);
      expect(refused.stderr).toContain('gateway "support": This slug is taken.');
      expect(refused.stderr).toContain("See standard input, line 1.");
      expect(await exported()).toBe(before);
    },
  );

  test("faults of several records are told together", async () => {
    const { apply, exported } = project();
    const before = await exported();

    const refused = await apply({
      ...FULL,
      gateways: [{ ...GATEWAY, slug: "Not valid" }],
      plugins: [{ ...PLUGIN, webhook_config: { endpoints: { pre: { url: "no address" } } } }],
      hooks: [],
    });

    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/gateway "Not valid": slug must .*plugin "policy": .*endpoints\.pre\.url/);
    expect(await exported()).toBe(before);
  });
});

describe("a dry run without all values", () => {
  const NO_VALUE = { key: "ABSENT", value_from: { env: "NOT_SET" } };

  test("still finds a slug that is taken", async () => {
    const { run, apply } = project();
    await run(["projects", "create", "second"]);
    await apply({ gateways: [GATEWAY] }, "--project", "second");

    const refused = await apply({ secrets: [NO_VALUE], gateways: [GATEWAY] }, "--dry-run");

    expect([refused.code, refused.stdout]).toEqual([5, ""]);
    expect(refused.stderr).toContain('gateway "support": This slug is taken.');
  });

  test("shows the whole plan, also of hooks whose plugin lacks its token", async () => {
    const { apply, exported } = project();
    const before = await exported();
    const token_from = { env: "NOT_SET" };
    const plugin = {
      ...PLUGIN,
      webhook_config: { ...PLUGIN.webhook_config, auth: { type: "bearer", token_from } },
    };
    const document = { secrets: [NO_VALUE], plugins: [plugin], hooks: [HOOK], gateways: [GATEWAY] };

    const planned = await apply(document, "--dry-run", "--no-headers");

    expect(planned.code).toBe(0);
    expect(planned.stdout.match(/^create /gm)).toHaveLength(4);
    expect(planned.stderr).toContain("Missing: the value of the secret ABSENT");
    expect(await exported()).toBe(before);
  });
});

test("the sentences about several records are apart", async () => {
  const refused = await project().apply({
    providers: [
      { id: "a", oauth2: { client_id: "x" } },
      { id: "b", oauth2: { client_id: "x" } },
    ],
  });

  expect(refused.stderr).toContain('provider_id. provider "b": ');
  expect(refused.stderr).toContain("provider_id. See standard input, line 1.");
});

test("a priority that is taken is told in whole sentences", async () => {
  const { apply } = project();
  const hook = { ...HOOK, priority: 0 };
  await apply({ plugins: [{ ...PLUGIN, name: "own" }], hooks: [{ ...hook, plugin: "own", name: "own" }] });

  const refused = await apply({ plugins: [PLUGIN], hooks: [hook] });

  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /Another hook runs at tool\.pre with priority 0\. Choose another priority \(0 to 1000\)\. None of/,
  );
});

test("a document that is a list is told which sections there are", async () => {
  const refused = await project().apply([]);

  expect(refused.stderr).toContain(
    "session_verification, providers, secrets, gateways, plugins, hooks, models",
  );
});

describe("the plan", () => {
  test("shows old and new values, and none of secrets", async () => {
    const { apply } = project();
    await apply(FULL);

    const changed = {
      ...FULL,
      secrets: [{ key: "WORD", value: "hidden new" }],
      gateways: [{ ...GATEWAY, name: "Help" }],
    };
    const { stdout, stderr } = await apply(changed, "--no-headers");

    expect(stdout).toMatch(/^update +secret +WORD +value$/m);
    expect(stdout).toMatch(/^update +gateway +support +name: Support -> Help$/m);
    expect(stdout).toMatch(/^unchanged +provider +idp$/m);
    expect(stdout + stderr).not.toContain("hidden");
  });

  test("has no changes for values that are stored already", async () => {
    const { apply } = project();
    await apply(FULL);

    const again = await apply(FULL, "--dry-run", "--detailed-exitcode", "-o", "json");

    expect(again.code).toBe(0);
    expect(jsonOf(again)).toMatchObject(Array.from({ length: 10 }, () => ({ action: "unchanged" })));
  });

  test.each<[string[], number]>([
    [["--dry-run"], 0],
    [["--dry-run", "--detailed-exitcode"], 10],
    [["--detailed-exitcode"], 10],
    [[], 0],
  ])("with %j, a change exits with %d", async (flags, code) => {
    expect((await project().apply(FULL, ...flags)).code).toBe(code);
  });
});

describe("--prune", () => {
  const LESS = {
    secrets: [{ key: "word" }],
    gateways: [GATEWAY],
    plugins: [PLUGIN],
    hooks: [HOOK],
    models: [],
  };
  const DELETED = ["model/local", "hook/second", "plugin/old", "gateway/sales", "secret/OTHER"];

  test("deletes what the lists of the document do not contain, and leaves other lists alone", async () => {
    const { apply, run } = project();
    await apply(FULL);

    const planned = await apply(LESS, "--prune", "--dry-run", "-o", "json");
    const applied = await apply(LESS, "--prune", "--yes", "-o", "json");

    const deleted = (jsonOf(applied) as { action: string; kind: string; name: string }[])
      .filter(({ action }) => action === "delete")
      .map(({ kind, name }) => `${kind}/${name}`);
    expect(applied.stdout).toBe(planned.stdout);
    expect(deleted).toEqual(DELETED);
    for (const noun of ["secrets", "gateways", "plugins", "hooks"])
      expect([noun, jsonOf(await run([noun, "list", "-o", "json"]))]).toMatchObject([noun, { length: 1 }]);
    expect((await run(["providers", "list", "-o", "name"])).stdout).toBe("idp\n");
  });

  test("is never the default", async () => {
    const { apply, exported } = project();
    await apply(FULL);
    const before = await exported();

    expect((await apply(LESS)).code).toBe(0);

    expect(await exported()).toBe(before);
  });

  test("needs a confirmation", async () => {
    const { apply, exported, run } = project();
    await apply(FULL);
    const before = await exported();

    const piped = await apply(LESS, "--prune");
    const stdin = JSON.stringify(LESS);
    const declined = await run(["apply", "-f", "-", "--prune"], {
      stdin,
      answers: [false],
    });

    expect([piped.code, piped.stdout, piped.stderr]).toEqual([2, "", expect.stringContaining("--yes")]);
    expect([declined.code, declined.stderr]).toEqual([1, "Nothing was changed.\n"]);
    expect(await exported()).toBe(before);
  });
});

test("--dry-run names every file and variable, whether it exists or not", async () => {
  const { run, home } = project();
  mkdirSync(join(home, "values"));
  writeFileSync(join(home, "values", "word"), "hidden");
  const file = join(home, "project.yaml");
  writeFileSync(
    file,
    "secrets:\n- key: A\n  value_from: {file: values/word}\n- key: B\n  value_from: {env: SET}\n" +
      "- key: C\n  value_from: {env: UNSET}\n",
  );

  const { stderr } = await run(["apply", "-f", file, "--dry-run"], { env: { SET: "hidden" } });

  expect(stderr).toBe(
    `Reads file ${join(home, "values", "word")} for secrets.0.value.\n` +
      "Reads variable SET for secrets.1.value.\n" +
      "Reads variable UNSET for secrets.2.value, which is not set.\n" +
      "3 would change, 0 unchanged.\nMissing: the value of the secret C\n",
  );
});
