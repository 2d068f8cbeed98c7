// Model entries in the configuration.
import { expect, test } from "bun:test";
import { load, refusalOf } from "./home";

const FILE = `
models:
  - id: local
    models: [llama]
    openai:
      base_url: http://127.0.0.1:11434/v1
  - id: claude
    anthropic:
      api_key: \${env:CLAUDE_KEY}
`;

test("reads entries, with a key from the environment", () => {
  const { models, settings } = load(FILE, { CLAUDE_KEY: "k-CANARY" });
  expect(models.map(({ record, apiKey }) => [record, apiKey?.reveal()])).toEqual([
    [{ id: "local", models: ["llama"], openai: { base_url: "http://127.0.0.1:11434/v1" } }, undefined],
    [{ id: "claude", anthropic: {} }, "k-CANARY"],
  ]);
  expect(JSON.stringify([models, settings])).not.toContain("CANARY");
});

test.each([
  ["no list", "models: local", /must be a list of model entries/],
  ["no id", "models: [{ openai: {} }]", /entry 1 id is required/],
  ["no server", "models: [{ id: a }]", /entry 1 must have either openai or anthropic/],
  ["two servers", "models: [{ id: a, openai: {}, anthropic: {} }]", /entry 1 must have either/],
  [
    "an id twice",
    "models: [{ id: a, openai: {} }, { id: a, openai: {} }]",
    /entry 2 has the same id as an earlier entry/,
  ],
  ["an unknown field", "models: [{ id: a, openai: { key: CANARY } }]", /entry 1/],
  [
    "an address that is none",
    "models: [{ id: a, openai: { base_url: 'ftp://x' } }]",
    /entry 1 openai.base_url/,
  ],
  [
    "a variable that is not set",
    "models: [{ id: a, openai: { api_key: '${env:NOT_SET}' } }]",
    /NOT_SET, which is not set/,
  ],
])("%s stops the start", (_, text, message) => {
  const refusal = refusalOf(() => load(text));
  expect(refusal).toMatch(message);
  expect(refusal).not.toContain("CANARY");
});

test("refuses a variable that is not JSON without repeating it", () => {
  expect(refusalOf(() => load(undefined, { RUNTIME_MODELS: "CANARY" }))).toMatch(
    /^RUNTIME_MODELS: "models" must be a list/,
  );
});
