// What walks foreign texts and lists takes time in proportion to them, not to their square or to all candidates.
import { expect, test } from "bun:test";
import { closest } from "../../catalogs/chat/resolve/not-found";
import { repeatedKey } from "../../catalogs/upstream/repeated-key";
import { extensions } from "../../catalogs";
import { nearest, withoutTrailingSlashes } from "../../src/base";
import { slugsFor } from "../../src/gateways/slug";
import { replaceField } from "../../src/llm/replace-field";
import { CallFragments } from "../../src/llm/stream/fragments";
import { parseExpression } from "../../src/providers/expression";
import { Registry } from "../../src/tools/registry";
import { growsTooFast } from "../support/growth";
import { printFigure } from "./figure";

/** Above the lengths up to which all are compared with all. */
const CAP = 300;
const tools = new Registry(extensions.catalogs);

function quietly(work: () => unknown): () => void {
  return () => {
    try {
      work();
    } catch {
      // Refusing a text must not take long either.
    }
  };
}

/** Feeds a stream of fragments, each as short as it can be. */
function assembled(fragments: readonly object[]): () => void {
  return () => {
    const calls = new CallFragments(() => true);
    for (const fragment of fragments) calls.add([fragment]);
  };
}

const WORK: Record<string, (size: number) => () => unknown> = {
  "a name similar to a long one": (size) => () => nearest("a".repeat(CAP + size), ["b".repeat(CAP + size)]),
  "a tool's name of separators": (size) => quietly(() => tools.find(`a${"_".repeat(size)}`)),
  "a tool's name of versions": (size) => quietly(() => tools.find("@".repeat(size))),
  "similar people": (size) => {
    const wanted = Array.from({ length: 20 + size / 10 }, (_, index) => `person ${index}`);
    return () => closest(wanted, wanted, (name) => [name], 10);
  },
  "a slug from a name": (size) => () => slugsFor("-".repeat(size), () => new Uint8Array(4)).next(),
  "an address of slashes": (size) => () => withoutTrailingSlashes(`${"/".repeat(size)}x`),
  "a duplicate key": (size) => () => repeatedKey(`{"a":"${'\\"'.repeat(size / 2)}`),
  "many keys": (size) => {
    const text = `{${Array.from({ length: size / 10 }, (_, index) => `"k${index}":1`).join(",")}}`;
    return () => repeatedKey(text);
  },
  "a field that occurs often": (size) => {
    const text = `{${'"model":"a",'.repeat(size / 12)}"model":"b"}`;
    return () => replaceField(text, "model", "c");
  },
  "an expression": (size) => quietly(() => parseExpression(`join(${"'".repeat(size)}`)),
  "fragments of a call without an id": (size) =>
    assembled(Array(size).fill({ function: { name: "tool", arguments: '{"a"' } })),
  "fragments of many calls": (size) =>
    assembled(Array.from({ length: size / 10 }, (_, id) => ({ id: `c${id}`, function: { name: "tool" } }))),
};

test.each(Object.entries(WORK))("%s takes linear time", (_name, prepare) => {
  expect(growsTooFast(prepare)).toBeUndefined();
});

test("the figure", () => {
  const count = Object.keys(WORK).length;
  expect(count).toBeGreaterThan(10);
  printFigure("quadratic work", `${count} walks of foreign texts are linear up to 100 KB`);
});
