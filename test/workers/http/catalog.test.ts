// Catalogs of all ages, with tools that cannot be offered among those that can.
import { describe, expect, test } from "bun:test";
import type { ReadCatalog } from "../../../src/workers/tool";
import { drive, workerAt } from "./driver";
import { definition, standIn } from "./stand-in";

function read(...tools: unknown[]): Promise<ReadCatalog> {
  const { uri } = standIn(() => Response.json(tools));
  return drive().kind.read(workerAt(uri), {});
}

async function only(fields: object) {
  const { tools, skipped } = await read(definition(fields));
  return { tool: tools[0], skipped };
}

const parameter = (value_schema: unknown, fields: object = {}): object => ({
  input: { parameters: [{ name: "a", required: true, value_schema, ...fields }] },
});

describe("a tool that breaks a rule is left out, and the others stay:", () => {
  const needs = (authorization: object): object => ({ requirements: { authorization } });
  const IDP = { provider_id: "idp", provider_type: "oauth2" };

  test.each([
    ["it is not an object", "text", "not an object"],
    ["its name is missing", definition({ name: null }), "its name"],
    ["its name is too long", definition({ name: "a".repeat(129) }), "its name"],
    ["its toolkit has another name", definition({ toolkit: { name: "a.b" } }), "its toolkit"],
    ["its version has other characters", definition({ toolkit: { name: "A", version: "1 0" } }), "version"],
    ["its parameters are not a list", definition({ input: { parameters: {} } }), "not a list"],
    ["a parameter has no name", definition({ input: { parameters: [{}] } }), "without a name"],
    [
      "two parameters have a name",
      definition({ input: { parameters: [{ name: "a" }, { name: "a" }] } }),
      "the same name",
    ],
    ["its type is nested too deeply", definition(parameter(nested(100))), "cannot be checked"],
    [
      "it is too large",
      definition(parameter({ val_type: "string", enum: ["x".repeat(300_000)] })),
      "cannot be checked",
    ],
    ["it is much too large", definition({ description: "x".repeat(700_000) }), "600000 characters"],
    ["its authorization is of another type", definition(needs({ provider_type: "saml", id: "a" })), "oauth2"],
    ["its authorization names nothing", definition(needs({ provider_type: "oauth2" })), "provider_id"],
    ["its authorization is not an object", definition(needs([IDP])), "authorization"],
    ["its authorization has scopes elsewhere", definition(needs({ ...IDP, scopes: ["a"] })), "(scopes)"],
    ["its provider is not a text", definition(needs({ provider_id: 7, id: "a" })), "provider_id"],
    ["its type is not a text", definition(needs({ ...IDP, provider_type: 7 })), "oauth2"],
    ["its scopes are one text", definition(needs({ ...IDP, oauth2: { scopes: "a b" } })), "scopes"],
    ["a scope is not a text", definition(needs({ ...IDP, oauth2: { scopes: ["a", 7] } })), "scopes"],
    ["its scopes have another name", definition(needs({ ...IDP, oauth2: { scope: "a" } })), "(scope)"],
    ["its oauth2 is not an object", definition(needs({ ...IDP, oauth2: ["a"] })), "oauth2"],
    ["its requirements are a list", definition({ requirements: [IDP] }), "requirements"],
    ["a requirement is not known", definition({ requirements: { auth: IDP } }), "(auth)"],
    ["its authorization is elsewhere", definition({ authorization: IDP }), "outside"],
    ["its secrets are elsewhere", definition({ secrets: [{ key: "A" }] }), "outside"],
    ["its secrets are an object", definition({ requirements: { secrets: { key: "A" } } }), "secrets"],
    ["a secret has another name", definition({ requirements: { secrets: [{ key: "a-b" }] } }), "a secret"],
    ["a secret has no name", definition({ requirements: { secrets: [{ name: "A" }] } }), "key_id"],
    ["a secret is a text", definition({ requirements: { secrets: ["A"] } }), "key_id"],
    [
      "a secret has two names",
      definition({ requirements: { secrets: [{ key: "A", key_id: "B" }] } }),
      "a secret",
    ],
    ["its input is a list", definition({ input: [{ name: "a" }] }), "not a list"],
    [
      "a model may make up a parameter, or not",
      definition(parameter({ val_type: "string" }, { inferrable: "false" })),
      "inferrable",
    ],
    [
      "a parameter is required, or not",
      definition(parameter({ val_type: "string" }, { required: "true" })),
      "required",
    ],
  ])("%s", async (_, bad, reason) => {
    const { tools, skipped } = await read(bad, definition({ name: "Good" }));
    expect(tools.map(({ name }) => name)).toEqual(["Good"]);
    expect(skipped).toEqual([{ name: expect.any(String), reason: expect.stringContaining(reason) }]);
  });

  test.each([
    ["with its name and version", definition(), "two tools"],
    ["whose name differs only in case", definition({ name: "ACT" }), "only in case"],
    [
      "whose name in another version differs only in case",
      definition({ name: "ACT", toolkit: { name: "Peer", version: "2.0.0" } }),
      "only in case",
    ],
    [
      "whose toolkit differs only in case",
      definition({ name: "Other", toolkit: { name: "PEER", version: "1.0.0" } }),
      "only in case",
    ],
  ])("there is another %s", async (_, other, reason) => {
    const { tools, skipped } = await read(definition(), other);
    expect(tools.map(({ name }) => name)).toEqual(["Act"]);
    expect(skipped).toEqual([{ name: expect.any(String), reason: expect.stringContaining(reason) }]);
  });
});

test("a secret is named by key or by key_id", async () => {
  const { tool, skipped } = await only({
    requirements: { secrets: [{ key: "A" }, { key_id: "B", key: null }, { key: "b" }] },
  });
  expect(tool?.secrets).toEqual(["A", "B"]);
  expect(skipped).toEqual([]);
});

test("the state of a user in a requirement means nothing", async () => {
  const state = { status: "active", status_reason: "x", token_status: "completed" };
  const authorization = { provider_id: "idp", provider_type: "oauth2", oauth2: { scopes: ["a"] }, ...state };
  const { tool } = await only({ requirements: { met: true, authorization, secrets: [] } });
  expect(tool?.authorization).toEqual({ provider: "idp", scopes: ["a"] });
});

test("several versions of a toolkit are several tools", async () => {
  const { tools } = await read(
    definition(),
    definition({ toolkit: { name: "Peer", version: "0.9.0" } }),
    definition({ toolkit: { name: "Peer", version: null } }),
  );
  expect(tools.map(({ toolkit }) => toolkit)).toEqual([
    { name: "Peer", version: "1.0.0" },
    { name: "Peer", version: "0.9.0" },
    { name: "Peer" },
  ]);
});

test("absent fields and null are the same", async () => {
  const bare = { name: "Act", toolkit: { name: "Peer", version: "1.0.0" } };
  const full = await read(definition({ description: null }));
  expect(await read(bare)).toEqual(full);
});

test("the separator of full names does not matter, and other characters of a name are replaced", async () => {
  const { tool } = await only({ name: "list-all", fully_qualified_name: "Peer_list-all" });
  expect([tool?.upstream, tool?.name, tool?.toolkit?.name]).toEqual(["list-all", "list_all", "Peer"]);
});

test("descriptions are cut, and show what they contain", async () => {
  const { tool } = await only({ description: `a\u202eb\u0000${"x".repeat(9000)}` });
  expect(tool?.description).toStartWith("abx");
  expect(tool?.description.length).toBe(4096);
});

describe("types", () => {
  test.each([
    [{ val_type: "string" }, { type: "string" }],
    [
      { val_type: "string", enum: ["a", "b"] },
      { type: "string", enum: ["a", "b"] },
    ],
    [
      { val_type: "string", enum: ["a"], nullable: true },
      { type: ["string", "null"], enum: ["a", null] },
    ],
    [{ val_type: "integer", nullable: false }, { type: "integer" }],
    [{ val_type: "json" }, {}],
    [{ val_type: "json", description: "Any." }, { description: "Any." }],
    [
      { val_type: "json", properties: {} },
      { type: "object", properties: {} },
    ],
    [
      { val_type: "json", properties: { a: { val_type: "number" } }, required_keys: ["a", "gone"] },
      { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
    ],
    [{ val_type: "array" }, { type: "array", items: {} }],
    [
      { val_type: "array", inner_val_type: "boolean", nullable: true },
      { type: ["array", "null"], items: { type: "boolean" } },
    ],
    [
      { val_type: "array", inner_val_type: "string", enum: ["a"] },
      { type: "array", items: { type: "string", enum: ["a"] } },
    ],
    [
      {
        val_type: "array",
        inner_val_type: "json",
        inner_properties: { a: { val_type: "array", inner_val_type: "integer" } },
        inner_required_keys: ["a"],
      },
      {
        type: "array",
        items: {
          type: "object",
          properties: { a: { type: "array", items: { type: "integer" } } },
          required: ["a"],
        },
      },
    ],
  ])("%j", async (given, schema) => {
    const { tool, skipped } = await only(parameter(given));
    expect(tool?.input["properties"]).toEqual({ a: schema });
    expect(skipped).toEqual([]);
  });

  test.each([
    ["a type that is not known", { val_type: "date" }, {}, "not known (date)"],
    ["a list of numbers for texts", { val_type: "string", enum: ["1", 2] }, { type: "string" }, "left out"],
    ["a list of texts for numbers", { val_type: "integer", enum: ["1"] }, { type: "integer" }, "left out"],
  ])("%s is not checked, and noted", async (_, given, schema, reason) => {
    const { tool, skipped } = await only(parameter(given));
    expect(tool?.input["properties"]).toEqual({ a: schema });
    expect(skipped).toEqual([{ name: "Peer.Act", reason: expect.stringContaining(reason) }]);
  });

  test("the description of a parameter wins over that of its type", async () => {
    const { tool } = await only(
      parameter({ val_type: "string", description: "type" }, { description: "own" }),
    );
    expect(tool?.input["properties"]).toEqual({ a: { type: "string", description: "own" } });
  });

  test("a parameter without a type takes anything", async () => {
    const { tool } = await only(parameter(null));
    expect(tool?.input["properties"]).toEqual({ a: {} });
  });

  test("an output that cannot be described costs only its description", async () => {
    const { tool, skipped } = await only({ output: { value_schema: nested(100) } });
    expect(tool?.name).toBe("Act");
    expect(tool?.output).toBeUndefined();
    expect(skipped).toEqual([{ name: "Peer.Act", reason: expect.stringContaining("output") }]);
  });
});

describe("the type of a result", () => {
  const outputOf = async (value_schema: object, available_modes: unknown) =>
    (await only({ output: { value_schema, available_modes } })).tool?.output;
  const item = { val_type: "json", properties: { a: { val_type: "string" } }, required_keys: ["a"] };
  const members = { properties: { a: { type: ["string", "null"] } }, required: ["a"] };

  test("allows null for members, which older workers fill in", async () => {
    expect(await outputOf(item, ["value", "error"])).toEqual({ type: "object", ...members });
    const list = { val_type: "array", inner_val_type: "json", inner_properties: item.properties };
    expect(await outputOf(list, ["value", "error"])).toEqual({
      type: "array",
      items: { type: "object", properties: members.properties },
    });
  });

  test.each([[["value", "error", "null"]], [null], [[]]])("may be null with the modes %j", async (modes) => {
    expect(await outputOf(item, modes)).toEqual({ type: ["object", "null"], ...members });
  });
});

describe("the modes of a result", () => {
  test.each([
    [["value", "error"], undefined],
    [
      ["null", "error", "value", "hologram"],
      ["value", "error", "null"],
    ],
    [["artifact"], ["artifact"]],
    [null, undefined],
  ])("%j are listed as %j", async (available_modes, modes) => {
    expect((await only({ output: { available_modes } })).tool?.modes).toEqual(modes);
  });

  test("say whether its type is that of a value, of an artifact, or either", async () => {
    const typeWith = async (output: object) => (await only({ output })).tool?.output;
    const value_schema = { val_type: "string" };
    const artifact = expect.objectContaining({ type: "object", required: ["url"] });
    expect(await typeWith({ available_modes: ["artifact", "error"] })).toEqual(artifact);
    expect(await typeWith({ available_modes: ["artifact", "value"] })).toBeUndefined();
    expect(await typeWith({ available_modes: ["artifact", "value"], value_schema })).toEqual({
      anyOf: [{ type: "string" }, artifact],
    });
  });
});

describe("metadata", () => {
  test("that contradicts itself is taken as it is, with what is missing filled in", async () => {
    const { tool } = await only({
      metadata: {
        classification: { service_domains: ["email", 7] },
        behavior: { operations: ["create", "fly"], read_only: null, destructive: false, idempotent: true },
        extras: { a: 1 },
      },
    });
    expect(tool?.metadata).toEqual({
      classification: { service_domains: ["email"] },
      behavior: {
        operations: ["create"],
        read_only: false,
        destructive: false,
        idempotent: true,
        open_world: true,
      },
      extras: { a: 1 },
    });
  });

  test("that cannot be read is the worst that it may be", async () => {
    const { tool } = await only({
      metadata: { behavior: { read_only: true, destructive: "no", idempotent: "yes", open_world: "no" } },
    });
    expect(tool?.metadata.behavior).toMatchObject({ destructive: true, idempotent: false, open_world: true });
  });

  test("of any other form is none", async () => {
    const { tool } = await only({ metadata: "text" });
    expect(tool?.metadata.behavior).toMatchObject({ read_only: false, destructive: true, open_world: true });
  });
});

test("metadata without a name that can be read is noted", async () => {
  const { tool, skipped } = await only({ requirements: { metadata: [{ name: "coordinator_url" }] } });
  expect(tool?.sendsMetadata).toBeUndefined();
  expect(skipped).toEqual([{ name: "Peer.Act", reason: expect.stringContaining("metadata") }]);
});

test("client_id is sent only with an authorization", async () => {
  const { tool, skipped } = await only({ requirements: { metadata: [{ key: "client_id" }] } });
  expect(tool?.sendsMetadata).toBeUndefined();
  expect(skipped).toEqual([{ name: "Peer.Act", reason: expect.stringContaining("metadata") }]);
});

function nested(levels: number): object {
  let type: object = { val_type: "string" };
  for (let level = 0; level < levels; level++) type = { val_type: "json", properties: { a: type } };
  return type;
}
