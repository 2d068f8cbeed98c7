// Which server a name means, and the names that are shown.
import { expect, test } from "bun:test";
import { modelNames, resolveModel } from "../../src/llm/resolve";
import { serverOf } from "../../src/llm/server-of";

const facts = { apiKey: undefined, created: 0, projectId: "default" };
const servers = [
  serverOf({ id: "a", models: ["small", "b/deep"], openai: {} }, facts),
  serverOf({ id: "b", models: ["small", "big", "org/model"], openai: {} }, facts),
  serverOf({ id: "open", openai: {} }, facts),
];

test.each([
  ["small", "a", "small"],
  ["big", "b", "big"],
  ["b/small", "b", "small"],
  ["b", "b", "small"],
  ["b/org/model", "b", "org/model"],
  ["org/model", "b", "org/model"],
  ["b/deep", "a", "b/deep"],
  ["open/any/thing", "open", "any/thing"],
])("%s is of %s the model %s", (text, id, model) => {
  const choice = resolveModel(servers, text);
  expect([choice.server.id, choice.model]).toEqual([id, model]);
});

test.each(["open", "c", "c/small", "b/none", "", "/", "SMALL"])("%j is an unknown model", (text) => {
  expect(() => resolveModel(servers, text)).toThrow("model: ");
});

test("every listed name resolves to its entry", () => {
  const names = modelNames(servers);
  expect(names).toEqual(["small", "a/b/deep", "b/small", "big", "org/model", "open"]);
  expect(names.slice(0, -1).map((name) => resolveModel(servers, name).server.id)).toEqual([
    "a",
    "a",
    "b",
    "b",
    "b",
  ]);
});
