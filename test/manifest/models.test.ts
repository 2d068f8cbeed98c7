// Model entries in a manifest: an export can be applied again, except for keys, and entries of the deployment are not
// exported.
import { describe, expect, test } from "bun:test";
import type { Manifest } from "../../src/manifest";
import { refusal } from "../connections/executing";
import { deploy, operator } from "../tools/deployment";

const STATIC = [{ id: "shared", openai: { base_url: "http://127.0.0.1:9/v1" } }];
const environment = { RUNTIME_MODELS: JSON.stringify(STATIC) };

async function withEntries() {
  const deployment = await deploy({ environment });
  const { models, identity } = deployment.runtime;
  await models.create(operator(), {
    id: "claude",
    models: ["claude-x"],
    anthropic: { api_key: "sk-hidden", max_tokens: 100 },
  });
  await models.create(operator(), { id: "local", openai: { base_url: "http://127.0.0.1:9/v1" } });
  await identity.createProject(operator(), "second", "Second");
  return deployment;
}

describe("the manifest of a project", () => {
  test("contains its own model entries, with variables instead of their keys", async () => {
    await using deployment = await withEntries();
    const document = await deployment.runtime.manifests.export(operator());

    expect(document.models).toEqual([
      {
        id: "claude",
        models: ["claude-x"],
        anthropic: {
          base_url: "https://api.anthropic.com/v1",
          chat_endpoint: "/messages",
          api_version: "2023-06-01",
          max_tokens: 100,
          api_key_from: { env: "CLAUDE_API_KEY" },
        },
      },
      {
        id: "local",
        models: [],
        openai: { base_url: "http://127.0.0.1:9/v1", chat_endpoint: "/chat/completions" },
      },
    ]);
    expect(JSON.stringify(document)).not.toContain("sk-hidden");
  });

  test("creates them in another project, and changes nothing when it is applied again", async () => {
    await using deployment = await withEntries();
    const { manifests } = deployment.runtime;
    const models: Manifest["models"] = [
      { id: "claude", models: ["claude-x"], anthropic: { api_key: "sk-other", max_tokens: 100 } },
      { id: "local", models: [], openai: { base_url: "http://127.0.0.1:9/v1" } },
    ];
    const first = await manifests.apply(operator("second"), { models });
    const exported = await manifests.export(operator("second"));
    const again = await manifests.apply(operator("second"), { models: models.slice(1) });

    expect(first.changes.map(({ action }) => action)).toEqual(["create", "create"]);
    expect(exported.models).toEqual((await manifests.export(operator())).models);
    expect(again.changes).toEqual([{ kind: "model", name: "local", action: "unchanged" }]);
  });

  test("changes fields that differ, and keeps a key that is not given", async () => {
    await using deployment = await withEntries();
    const { manifests, models } = deployment.runtime;
    const changed = { id: "claude", anthropic: { max_tokens: 200 } };
    const { changes } = await manifests.apply(operator(), { models: [changed] });
    const entry = await models.show(operator(), "claude");

    expect(changes).toEqual([
      {
        kind: "model",
        name: "claude",
        action: "update",
        fields: ["max_tokens"],
        differences: [{ field: "max_tokens", before: 100, after: 200 }],
      },
    ]);
    expect([entry.max_tokens, entry.api_key.exists, entry.models]).toEqual([200, true, ["claude-x"]]);
  });

  test.each<[string, NonNullable<Manifest["models"]>[number], RegExp]>([
    ["an entry of the configuration", { id: "shared", openai: {} }, /belongs to the configuration file/],
    ["another protocol", { id: "local", anthropic: {} }, /has type openai/],
    [
      "both protocols",
      { id: "local", openai: {}, anthropic: {} },
      /models\.0 must have exactly one of openai/,
    ],
  ])("refuses %s before anything is changed", async (_what, entry, said) => {
    await using deployment = await withEntries();
    const { manifests, secrets } = deployment.runtime;
    const document = { secrets: [{ key: "FIRST", value: "x" }], models: [entry] };
    const error = await refusal(manifests.apply(operator(), document));

    expect(error.message).toMatch(said);
    expect((await secrets.list(operator())).items).toEqual([]);
  });
});
