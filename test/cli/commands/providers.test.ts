import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { at } from "../../support/api";
import { jsonOf, newTerminal } from "../support/fake-io";

const CREATE = ["providers", "create", "slack", "--provider", "slack", "--client-id", "1.2"];

test("creates a well-known provider from flags, with its secret from standard input", async () => {
  const { run } = newTerminal();

  const ran = await run([...CREATE, "--client-secret-stdin", "-o", "json"], { stdin: "s3cret\n" });

  expect(ran.code).toBe(0);
  expect(jsonOf(ran)).toMatchObject({
    id: "slack",
    provider_id: "slack",
    status: "active",
    oauth2: { client_id: "1.2", client_secret: { exists: true } },
  });
  expect(at(jsonOf(ran), "oauth2.redirect_uri")).toMatch(
    /^http:\/\/127\.0\.0\.1:9099\/api\/v1\/oauth\/[\w-]+\/callback$/,
  );
  expect(ran.stderr).toContain(String(at(jsonOf(ran), "oauth2.redirect_uri")));
  expect(ran.stdout + ran.stderr).not.toContain("s3cret");
});

test("refuses a path into a record that no provider has, and shows nothing for an optional one", async () => {
  const { run } = newTerminal();
  await run(CREATE);

  const wrong = await run(["providers", "show", "slack", "--fields", "oauth2.client_idd", "-o", "json"]);
  const optional = await run(["providers", "list", "--fields", "id,oauth2.pkce", "-o", "json"]);

  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("Did you mean client_id?")]);
  expect(optional.code).toBe(0);
});

test.each<[string, (folder: string) => string[]]>([
  ["- in its place", () => ["--client-secret", "-"]],
  [
    "a file",
    (folder) => {
      writeFileSync(join(folder, "secret"), "from a file\n");
      return ["--client-secret-file", join(folder, "secret")];
    },
  ],
])("reads the secret from %s", async (_how, flags) => {
  const { run, home } = newTerminal();

  const ran = await run([...CREATE, ...flags(home), "-o", "json"], { stdin: "s3cret" });

  expect(at(jsonOf(ran), "oauth2.client_secret.exists")).toBe(true);
});

test("prompts for the secret at a terminal, and accepts none", async () => {
  const { run } = newTerminal();

  const ran = await run([...CREATE, "-o", "json"], { answers: [""] });

  expect(ran.io.prompted).toHaveLength(1);
  expect(at(jsonOf(ran), "oauth2.client_secret.exists")).toBe(false);
});

describe("a whole record", () => {
  const record = {
    id: "own",
    oauth2: {
      client_id: "c",
      client_secret: "in the file",
      authorize_request: { endpoint: "https://id.example/authorize" },
      token_request: { endpoint: "https://id.example/token" },
    },
  };

  test("comes from standard input; flags override it", async () => {
    const { run } = newTerminal();
    const argv = [
      "providers",
      "create",
      "--file",
      "-",
      "--client-id",
      "other",
      "--description",
      "ours",
      "-o",
      "json",
    ];

    const ran = await run(argv, { stdin: `\uFEFF${JSON.stringify(record)}\r\n` });

    expect(ran.code).toBe(0);
    expect(jsonOf(ran)).toMatchObject({ id: "own", description: "ours", oauth2: { client_id: "other" } });
    expect(ran.stdout).not.toContain("in the file");
  });

  test.each<[string, string, number, string]>([
    ["broken JSON", "{", 2, "usage"],
    ["a list", "[]", 2, "usage"],
    ["a record with another id", '{"id":"x"}', 2, "usage"],
    ["a record without required fields", "{}", 1, "malformed_request"],
  ])("rejects %s", async (_what, stdin, code, name) => {
    const { run } = newTerminal();

    const ran = await run(["providers", "create", "own", "--file", "-", "-o", "json"], { stdin });

    expect(ran.code).toBe(code);
    expect(jsonOf(ran)).toMatchObject({ name });
  });

  test("and the secret cannot both come from standard input", async () => {
    const { code, io } = await newTerminal().run([
      "providers",
      "create",
      "--file",
      "-",
      "--client-secret-stdin",
    ]);

    expect([code, io.reads]).toEqual([2, 0]);
  });
});

test("exits 5 for a second provider with the same id", async () => {
  const { run } = newTerminal();
  await run(CREATE);

  const ran = await run([...CREATE, "-o", "json"]);

  expect(ran.code).toBe(5);
  expect(jsonOf(ran)).toMatchObject({ name: "already_exists" });
});

test("changes a provider by flags and by a file, lists and shows it", async () => {
  const { run } = newTerminal();
  await run(CREATE);

  await run(["providers", "update", "slack", "--status", "inactive", "--client-secret", "-"], {
    stdin: "new",
  });
  await run(["providers", "update", "slack", "--file", "-"], { stdin: '{"description":"ours"}' });

  const shown = jsonOf(await run(["providers", "show", "slack", "-o", "json"]));
  expect(shown).toMatchObject({
    status: "inactive",
    description: "ours",
    oauth2: { client_id: "1.2", client_secret: { exists: true } },
  });
  expect(jsonOf(await run(["providers", "list", "-o", "json"]))).toEqual([shown]);
  expect((await run(["providers", "show", "other"])).code).toBe(3);
});

describe("delete", () => {
  test("prompts at a terminal and deletes nothing without approval", async () => {
    const { run } = newTerminal();
    await run(CREATE);

    const kept = await run(["providers", "delete", "slack"], { answers: [false] });
    expect([kept.code, kept.io.prompted.length]).toEqual([1, 1]);
    expect((await run(["providers", "show", "slack"])).code).toBe(0);

    expect((await run(["providers", "delete", "slack"], { answers: [true] })).code).toBe(0);
    expect((await run(["providers", "show", "slack"])).code).toBe(3);
  });

  test("does not prompt with --yes and prints the record", async () => {
    const { run } = newTerminal();
    await run(CREATE);

    const ran = await run(["providers", "delete", "slack", "--yes", "-o", "json"]);

    expect(ran.code).toBe(0);
    expect(jsonOf(ran)).toMatchObject({ id: "slack" });
  });
});
