// `runtime models`: entries with keys, which are never arguments and never shown.
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { at } from "../../support/api";
import { jsonOf, newTerminal } from "../support/fake-io";

describe("an entry", () => {
  test("is created, shown, changed and deleted", async () => {
    const { run } = newTerminal();
    const create = ["models", "create", "local", "--type", "openai", "--base-url", "http://127.0.0.1:1/v1"];
    const made = jsonOf(await run([...create, "--model", "a", "--model", "b", "-o", "json"]));
    expect([at(made, "models"), at(made, "api_key.exists")]).toEqual([["a", "b"], false]);
    const changed = await run(["models", "update", "local", "--model", "c", "-o", "json"]);
    expect(at(jsonOf(changed), "models")).toEqual(["c"]);
    expect((await run(["models", "list"])).stdout).toMatch(
      /local\s+openai\s+c\s+http:\/\/127\.0\.0\.1:1\/v1\/chat\/completions\s+none\s+stored/,
    );
    expect((await run(["models", "delete", "local", "--yes"])).code).toBe(0);
    expect((await run(["models", "show", "local"])).code).toBe(3);
  });

  test.each([
    ["from standard input", ["--api-key-stdin"], { stdin: "key-CANARY\n" }],
    ["from the environment", ["--api-key-env", "MY_KEY"], { env: { MY_KEY: "key-CANARY" } }],
  ])("has a key %s, which is never shown and can be removed", async (_how, flags, options) => {
    const { run } = newTerminal();
    const made = await run(["models", "create", "a", "--type", "anthropic", ...flags, "-o", "json"], options);
    expect([made.code, at(jsonOf(made), "api_key.exists"), at(jsonOf(made), "type")]).toEqual([
      0,
      true,
      "anthropic",
    ]);
    expect(made.stdout + made.stderr + (await run(["models", "list", "-o", "json"])).stdout).not.toContain(
      "CANARY",
    );
    const removed = await run(["models", "update", "a", "--no-api-key", "-o", "json"]);
    expect(at(jsonOf(removed), "api_key.exists")).toBe(false);
  });

  test("moves to another origin only with its key", async () => {
    const { run } = newTerminal();
    const key = { stdin: "key-CANARY\n" };
    await run(["models", "create", "a", "--type", "openai", "--api-key-stdin"], key);
    const move = ["models", "update", "a", "--base-url", "https://other.example/v1"];

    const refused = await run(move);

    expect([refused.code, refused.stderr.includes("api_key must be given again")]).toEqual([1, true]);
    expect((await run([...move, "--api-key-stdin"], key)).code).toBe(0);
  });

  test("of the configuration is listed and cannot be changed", async () => {
    const { run, home } = newTerminal();
    writeFileSync(
      join(home, "runtime.yaml"),
      "models:\n  - id: fixed\n    openai: { api_key: key-CANARY }\n",
    );
    const config = ["--config", join(home, "runtime.yaml")];
    expect((await run(["models", "list", ...config])).stdout).toMatch(
      /fixed\s+openai\s+any\s+https:\S+\s+set\s+configuration/,
    );
    const refused = await run(["models", "delete", "fixed", "--yes", ...config]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("is part of the configuration"),
    ]);
  });
});

test.each([
  ["no type", ["create", "x"], "--type is required"],
  ["an unknown type", ["create", "x", "--type", "other"], "--type must be one of openai, anthropic"],
  [
    "two keys",
    ["create", "x", "--type", "openai", "--api-key-stdin", "--api-key-env", "HOME"],
    "only one source",
  ],
  ["nothing to change", ["update", "x"], "Nothing to change"],
  ["an unknown word", ["tools", "some"], "must be one of all, read_only"],
])("rejects %s as a usage error", async (_what, argv, message) => {
  const { run } = newTerminal();
  const { code, stderr } = await run(["models", ...argv]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test("rejects an invalid address with its field", async () => {
  const { run } = newTerminal();
  const { code, stderr } = await run(["models", "create", "x", "--type", "openai", "--base-url", "ftp://x"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("openai.base_url")]);
});

test("shows and changes which tools the server runs", async () => {
  const { run } = newTerminal();
  expect((await run(["models", "tools", "-o", "name"])).stdout).toBe("all\n");
  expect((await run(["models", "tools", "read_only", "-o", "name"])).stdout).toBe("read_only\n");
  const narrowed = await run(["models", "tools", "all", "-o", "name"], {
    env: { RUNTIME_LLM_TOOLS: "read_only" },
  });
  expect([narrowed.stdout, narrowed.stderr]).toEqual(["read_only\n", expect.stringContaining("llm.tools")]);
});
