// Names, titles and descriptions that come from outside.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cleanDescription, toolkitNameOf, toolNameOf, uniqueNames } from "../../../src/workers/foreign";

describe("the name of a tool", () => {
  test.each([
    ["echo", "echo"],
    ["get-sum", "get_sum"],
    ["files.read/all", "files_read_all"],
    ["größe", "gr__e"],
    ["😀", "_"],
    ["a".repeat(128), "a".repeat(128)],
  ])("%s", (upstream, name) => {
    expect(toolNameOf(upstream)).toBe(name);
  });

  test.each(["", "a".repeat(129)])("there is none for %j", (upstream) => {
    expect(toolNameOf(upstream)).toBeUndefined();
  });
});

describe("unique names", () => {
  test("stay as they are if they differ", () => {
    expect([...uniqueNames(["b", "a-1", "A_2"])]).toEqual([
      ["A_2", "A_2"],
      ["b", "b"],
      ["a-1", "a_1"],
    ]);
  });

  test("the name in which nothing was replaced stays, whatever the order", () => {
    const names = uniqueNames(["get-it", "get_it", "GET.it"]);
    expect(names.get("get_it")).toBe("get_it");
    expect(names.get("get-it")).toMatch(/^get_it_[0-9a-f]{4}$/);
    expect(names.get("GET.it")).toMatch(/^GET_it_[0-9a-f]{4}$/);
  });

  test("are unique without regard to case, valid, and do not depend on the order", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "A", "-", "_", "é"), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 40 }), (upstream) => {
        const names = uniqueNames(upstream);
        const values = [...names.values()];
        expect(new Set(values.map((each) => each.toLowerCase())).size).toBe(new Set(upstream).size);
        expect(values.filter((each) => !/^[A-Za-z0-9_]{1,128}$/.test(each))).toEqual([]);
        expect(uniqueNames(upstream.toReversed())).toEqual(names);
      }),
      { seed: 26 },
    );
  });

  test("a digest that another tool already has as its name is made longer", () => {
    const digest = new Bun.CryptoHasher("sha256").update("a-b").digest("hex");
    const names = uniqueNames(["a_b", "a-b", `a_b_${digest.slice(0, 4)}`]);
    expect(names.get("a-b")).toBe(`a_b_${digest.slice(0, 5)}`);
  });

  test("a long name is cut to make room for the digest", () => {
    const names = uniqueNames(["a".repeat(128), "A".repeat(128)]);
    expect([...names.values()].map(({ length }) => length)).toEqual([128, 128]);
  });
});

test.each([
  ["everything", "Everything"],
  ["my-github_server", "MyGithubServer"],
  ["1password", "Worker1password"],
  ["--", "Worker"],
])("the toolkit of the worker %s is %s", (id, name) => {
  expect(toolkitNameOf(id)).toBe(name);
});

describe("a description", () => {
  test.each([
    ["control characters", "a\u0000b\u001b[31mc", "ab[31mc"],
    ["marks of direction", "a\u202eb\u2066c", "abc"],
    ["tags, which hide text", "a\u{e0041}\u{e0042}b", "ab"],
    ["zero-width characters", "a\u200bb\ufeffc", "abc"],
    ["half of a surrogate pair", "a\ud800b", "a\ufffdb"],
    ["line ends of other systems", "a\r\nb\rc\u2028d", "a\nb\nc\nd"],
  ])("is without %s", (_what, given, cleaned) => {
    expect(cleanDescription(given)).toBe(cleaned);
  });

  test("keeps lines, tabs, letters and emoji", () => {
    const text = "Zeile 1\n\tΑβγ 中文 👩‍👧 ☎️";
    expect(cleanDescription(text)).toBe(text);
  });

  test("is cut between code points", () => {
    expect(cleanDescription("a".repeat(5000))).toBe("a".repeat(4096));
    expect(cleanDescription(`${"a".repeat(4095)}😀b`)).toBe("a".repeat(4095));
    expect(cleanDescription(`${"a".repeat(4094)}😀b`)).toBe(`${"a".repeat(4094)}😀`);
  });
});
