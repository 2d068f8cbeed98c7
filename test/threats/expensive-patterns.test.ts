// A regular expression whose time grows faster than its input lets one request freeze the server. Every expression of
// the sources, and of the packages that see foreign text, runs on the worst inputs of 100 KB that we know how to make.
import { describe, expect, test } from "bun:test";
import { attackByRecheck, attacksOn } from "../support/patterns/attacks";
import { type Built, type Found, ofPackages, ofScript, ofSources } from "../support/patterns/collect";
import { fill } from "../../src/providers";
import { growsTooFast } from "../support/growth";
import { BUILT, OWN_TEXT_ONLY, PACKAGE_BUILT } from "./patterns";
import { printFigure } from "./figure";

const RECHECK_MS = 250;

/** The expressions that take more than linear time, with the size at which it shows. */
function slowOnes(found: readonly Found[], withRecheck: boolean): string[] {
  const seen = new Set<string>();
  return found.flatMap(({ file, pattern, flags }) => {
    const name = `/${pattern}/${flags}`;
    if (seen.has(name)) return [];
    seen.add(name);
    const size = slowAt(pattern, flags, withRecheck);
    return size === undefined ? [] : [`${file}: ${name} is slow at ${size} characters`];
  });
}

function slowAt(pattern: string, flags: string, withRecheck: boolean): number | undefined {
  // Without an unbounded repetition, the work at each character is bounded.
  if (!/[*+]|,\}/.test(pattern)) return undefined;
  const known = withRecheck ? attackByRecheck(pattern, flags, RECHECK_MS) : undefined;
  const attacks = [...(known === undefined ? [] : [known]), ...attacksOn(pattern)];
  // To the end of the text, as `split`, `matchAll` and `replaceAll` use it.
  const expression = new RegExp(pattern, flags.includes("g") ? flags : `${flags}g`);
  for (const attack of attacks) {
    const size = growsTooFast((length) => {
      const text = attack(length);
      return () => scan(expression, text);
    });
    if (size !== undefined) return size;
  }
  return undefined;
}

function scan(expression: RegExp, text: string): void {
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    if (match[0] === "") expression.lastIndex++;
  }
}

/** Samples of listed expressions, and the expressions that are not listed. */
function resolved(
  built: readonly Built[],
  listed: Readonly<Record<string, readonly RegExp[]>>,
): { samples: Found[]; unlisted: string[] } {
  const samples: Found[] = [];
  const unlisted: string[] = [];
  for (const { file, expression } of built) {
    const known = listed[`${file}: ${expression}`];
    if (known === undefined) unlisted.push(`${file}: ${expression}`);
    for (const { source, flags } of known ?? []) samples.push({ file, pattern: source, flags });
  }
  return { samples, unlisted };
}

describe("the sources", () => {
  const { literals, built, formats } = ofSources();
  const { samples, unlisted } = resolved(built, BUILT);

  test("use no format of schemas whose pattern is not checked", () => {
    // The API description shows `uri`; no schema that validates has it.
    expect([...formats].toSorted()).toEqual(["date-time", "der", "jwk", "pem", "uri"]);
  });

  test("have no expression that is built from text and not listed with samples", () => {
    expect(unlisted).toEqual([]);
  });

  test("have no expression that takes more than linear time", () => {
    const all = [...literals, ...samples];

    expect(slowOnes(all, true)).toEqual([]);

    printFigure("expensive patterns", `${all.length} expressions of the sources are linear up to 100 KB`);
  }, 120_000);
});

describe("the packages in the executable", async () => {
  const { literals, built } = await ofPackages();
  const sees = ({ file }: { file: string }): boolean =>
    file === "node_modules/typebox/build/format/date_time.mjs" ||
    !Object.keys(OWN_TEXT_ONLY).some((start) => file.startsWith(`node_modules/${start}`));
  const { samples, unlisted } = resolved(built.filter(sees), PACKAGE_BUILT);

  test("have no expression that is built from text and not listed with samples", () => {
    expect(unlisted).toEqual([]);
  });

  test("have no expression for foreign text that takes more than linear time", () => {
    const all = [...literals.filter(sees), ...samples];

    expect(all.length).toBeGreaterThan(50);
    expect(slowOnes(all, false)).toEqual([]);

    printFigure("expensive patterns", `${all.length} expressions of packages are linear up to 100 KB`);
  }, 120_000);
});

describe("a request template", () => {
  /** A value of the largest accepted size. */
  const template = (size: number): string => "{{".padEnd(size, " ");
  const filled = (size: number) => () => fill(template(size), {});

  test("is filled in linear time", () => {
    expect(growsTooFast(filled)).toBeUndefined();
  });

  test("costs less than 5 ms for a consent link, with two parameters of the largest size", () => {
    const started = performance.now();
    for (let link = 0; link < 100; link++) for (const _ of ["one", "two"]) filled(4000)();
    const each = (performance.now() - started) / 100;

    expect(each).toBeLessThan(5);

    printFigure("expensive templates", `${each.toFixed(2)} ms for each consent link`);
  });
});

describe("the test", () => {
  test.each([
    ["quadratic", String.raw`/\/+$/`],
    ["quadratic with its beginning repeated", String.raw`/"(?:[^"\\]|\\.)*"/g`],
    ["cubic", String.raw`/\{\{\s*([^{}]*?)\s*\}\}/g`],
    ["exponential", String.raw`/^(a+)+$/`],
  ])("notices an expression that is %s", (_name, literal) => {
    expect(slowOnes(ofScript(literal).literals, false)).toHaveLength(1);
  });

  test("collects literals, built expressions and patterns of schemas", () => {
    const { literals, built } = ofScript(
      '/a/g; new RegExp(`${b}`); x({ pattern: "c", other: { pattern: d } });',
    );

    expect(literals.map(({ pattern, flags }) => `/${pattern}/${flags}`)).toEqual(["/a/g", "/c/u"]);
    expect(built.map(({ expression }) => expression)).toEqual(["new RegExp(`${b}`)", "d"]);
  });
});
