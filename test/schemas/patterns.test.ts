// Regular expressions from outside: which are used, and for texts of which length.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { longestText } from "../../src/schemas/pattern";
import { growthOf } from "../support/growth";
import { attackByRecheck, attacksOn } from "../support/patterns/attacks";

describe("is not used:", () => {
  test.each([
    ["a repetition of a repetition", "^(a+)+$"],
    ["with other quantifiers", "(a*)*b"],
    ["with counts", "(a{1,9}){2,}"],
    ["in a group without a number", "(?:[a-z]+)*!"],
    ["in groups inside of each other", "((([a-z])+)x?)*y"],
    ["a separator that may be absent", "(\\d+,?)+$"],
    ["an alternative twice", "^(a|a)+$"],
    ["alternatives with the same beginning", "(a|aa)*$"],
    ["alternatives of classes that share characters", "(\\w|\\d)*!"],
    ["an alternative that may be empty", "(a|)*b"],
    ["a repetition many times", "(.*a){20}"],
    ["optional characters many times", `${"a?".repeat(30)}${"a".repeat(30)}`],
    ["alternatives many times", `${"(a|ab)(b|)".repeat(15)}!`],
    ["many repetitions one after the other", "a*a*a*a*a*a*b"],
    ["a repetition in what looks ahead", "(?=(a+)+b)"],
    ["a repetition of what looks ahead", "(?:(?=a)a)+b"],
    ["a repetition that looks back", "(?<=a*a*a*)b"],
    ["a complement of a property", `^${"[^\\p{L}]*".repeat(12)}x$`],
    ["a complement of a property and more", `^${"[^\\P{L}\\d]*".repeat(12)}x$`],
    ["alternatives of complements of properties", "^([^\\p{L}]|\\d)*x$"],
    ["alternatives that are empty", `^${"(?:|)".repeat(40)}$`],
    ["an empty alternative and the end", `${"(?:$|)".repeat(40)}x`],
    ["an empty alternative and the beginning", `${"(?:^|)".repeat(40)}x`],
    ["alternatives that look ahead", `^${"(?:(?=a)|(?=.))".repeat(40)}x`],
    ["repetitions of nothing, inside of each other", `${"(?:".repeat(12)}^${"){10}".repeat(12)}x`],
    [
      "repetitions of what looks ahead, inside of each other",
      `${"(?:".repeat(9)}(?=a*b)${"){10}".repeat(9)}x`,
    ],
    ["a look behind that is slow from its end only", `(?<=(?:b[ab]*x){9}${"c[a-c]*x".repeat(5)}y)z`],
    ["more than 40 levels of groups", `^${"(".repeat(41)}a${")".repeat(41)}$`],
    ["a reference back", "(a*)\\1b"],
    ["a reference back by name", "(?<n>a*)\\k<n>b"],
    ["flags of other languages", "(?i)abc"],
    ["flags inside", "(?i:a)b"],
    ["possessive quantifiers", "a++b"],
    ["a class of other languages", "[[:alpha:]]+"],
    ["an escape that this mode does not know", "\\_"],
    ["what does not end", "("],
    ["more than 1,000 characters", "a".repeat(1001)],
  ])("%s", (_what, pattern) => {
    expect(longestText(pattern)).toBeUndefined();
  });

  test.each([[5], [null], [{}], [["a"]], [/a/u]])("%p", (pattern) => {
    expect(longestText(pattern)).toBeUndefined();
  });
});

describe("is tested only with texts for which it is fast:", () => {
  test.each([
    ["a look ahead after a repetition", "^a*(?=[^x]*x)b"],
    ["a look behind after a repetition", "^a*(?<=x[^x]*)b"],
    ["neighbours that share a character of a property", "^\\p{L}*\\w*!$"],
  ])("%s", (_what, pattern) => {
    expect(longestText(pattern)).toBeLessThan(5000);
  });

  test.each([
    ["a fixed beginning", "^[a-z]", Infinity],
    ["one character anywhere", "[<>]", 1_000_000],
    ["a word anywhere", "<script>", 100_000],
    ["one pass", "^[a-z]+$", 1_000_000],
  ])("long ones for %s", (_what, pattern, least) => {
    expect(longestText(pattern)).toBeGreaterThanOrEqual(least);
  });
});

test("the judgement of a pattern takes time in proportion to its length", () => {
  let count = 0;
  const patterns = [
    (length: number) => `${"(?:".repeat(length / 7)}a?${"){2}".repeat(length / 7)}`,
    (length: number) =>
      `${"((?:a|".repeat(35)}${"b?c?".repeat(Math.max(0, length / 4 - 70))}${")d)".repeat(35)}`,
    (length: number) => "(?:a|b|c|d|e)".repeat(length / 13),
    (length: number) => `(?:${"a|".repeat(length / 2)})`,
    (length: number) => "\\s?".repeat(length / 3),
    (length: number) => `[${"acegikmoqsuwy".repeat(length / 13)}]`,
  ];
  for (const pattern of patterns) {
    const growth = growthOf(240, (size) => {
      const text = pattern(size);
      // No pattern twice: judgements are remembered.
      return () => Array.from({ length: 4 }, () => longestText(`${text}${++count}`));
    });
    expect([pattern(40), growth < 10]).toEqual([pattern(40), true]);
  }
});

/** Of real schemas. */
const USED = [
  "^[a-z]+$",
  "^[A-Za-z0-9._-]{1,64}$",
  "^\\d{4}-\\d{2}-\\d{2}$",
  "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$",
  "^([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d)?$",
  "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-5][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$",
  "^([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$",
  "^#?([a-f0-9]{6}|[a-f0-9]{3})$",
  "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$",
  "^https?://",
  "^https?://[^\\s/]+/.*$",
  "^(draft|open|closed)$",
  "^(?:foo|bar)+$",
  "^(?=.*[A-Z])(?=.*\\d).{8,}$",
  "^(?!.*\\.\\.)[a-z.]+$",
  "^\\p{L}[\\p{L}\\p{N} ]*$",
  "^\\+[1-9]\\d{1,14}$",
  "^[A-Z]{2,10}-\\d+$",
  "\\.(png|jpe?g|gif)$",
  "^\\S.*\\S$",
  "^-?\\d+(\\.\\d+)?$",
  "^(\\d{1,3}\\.){3}\\d{1,3}$",
  "^\\/[\\w\\-\\/]*$",
  "[\\u{1F600}-\\u{1F64F}]",
  "^\\uD83D\\uDE00$",
  "(?<year>\\d{4})",
  "",
];

describe("is used, and takes no time for the longest text that it is used for:", () => {
  test.each(USED)("%s", (pattern) => {
    const longest = longestText(pattern);
    if (longest === undefined) throw new Error("It is not used.");
    const form = new RegExp(pattern, "u");
    const attacks = [...attacksOn(pattern), attackByRecheck(pattern, "u", 2000)];
    for (const attack of attacks) {
      const text = attack?.(Math.min(longest, 20_000)).slice(0, longest);
      // A test that runs out of time fails.
      if (text !== undefined) expect(typeof form.test(text)).toBe("boolean");
    }
    expect(attacks.length).toBeGreaterThan(0);
  });
});

const ATOMS = ["a", "b", "[ab]", ".", "\\w", "c", "[^a]", "[^\\w!]", "^", "$", "\\b", "(?:|)", "(?:$|)"];
const OF_PROPERTIES = ["\\p{L}", "\\P{L}", "[\\p{N}a]", "[^\\p{L}]", "[^\\P{L}b]"];
const atom = fc.constantFrom(...ATOMS, ...OF_PROPERTIES);
const quantifier = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "{2,}");
const { expression } = fc.letrec<{ expression: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(atom, quantifier).map(([one, times]) => (/^(?:\^|\$|\\b)$/.test(one) ? one : one + times)),
    fc.tuple(tie("expression"), quantifier).map(([inner, times]) => `(${inner})${times}`),
    fc.tuple(tie("expression"), tie("expression")).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(fc.constantFrom("?=", "?!", "?<=", "?<!"), tie("expression"))
      .map(([around, inner]) => `(${around}${inner})`),
  ),
  expression: fc.array(tie("part"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
}));

test("expressions at random that are used take no exponential time", () => {
  let used = 0;
  fc.assert(
    fc.property(expression, fc.boolean(), (inner, anchored) => {
      const pattern = anchored ? `^${inner}$` : inner;
      const longest = longestText(pattern);
      if (longest === undefined) return;
      used++;
      const form = new RegExp(pattern, "u");
      for (const unit of ["a", "b", "1", "é", "ab", "ca", "aab"]) {
        const text = `${unit.repeat(Math.min(longest, 3000))}!`.slice(-longest);
        expect(typeof form.test(text)).toBe("boolean");
      }
    }),
    { seed: 26, numRuns: 2000 },
  );
  expect(used).toBeGreaterThan(200);
});
