// The project rule on words: product, documentation and titles of tests use standard terms and plain English.
import type { SourceFile } from "./rules";

/** Files and folders whose whole text is checked: one line each. */
export const CHECKED_TEXT = [
  "README.md",
  "AGENTS.md",
  "SKILL.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "docs",
  "examples",
  ".ci",
  "build",
  "build.ts",
  "server",
  "src",
  "catalogs",
  "cli",
];

/** Folders of tests whose titles are checked. */
export const CHECKED_TITLES = ["test", "examples"];

export interface WordException {
  path: string;
  phrase: string;
  reason: string;
}

/** At most 20. An exception that no longer matches is a violation. */
export const WORD_EXCEPTIONS: readonly WordException[] = [];

// Correct English that the words below would also match: "stand-in" (with a hyphen), "no-op", "there are no rows",
// "is no longer", "is no larger than".
const WORDS = [
  "nobody",
  "anew",
  "beside",
  "hence",
  "whoever",
  "whence",
  "stands",
  "stand in",
  "cannot be had",
  "(?<!there )(?:is|are) no(?! longer| more| less| larger| smaller| later| earlier|-)",
  "there (?:is|are) no such",
  "owed",
  "owes",
  "ways in",
  "house",
  "ground",
  "footing",
];
const PATTERN = new RegExp(String.raw`\b(?:${WORDS.join("|")})\b`, "gi");

/** One sentence per word to avoid, with the path and some text around it. */
export function wordViolations(
  files: readonly SourceFile[],
  exceptions: readonly WordException[] = [],
): string[] {
  const used = new Set<WordException>();
  const violations = files.flatMap(({ path, text }) => {
    const running = runningText(text);
    return [...running.matchAll(PATTERN)].flatMap((match) => {
      const around = running.slice(Math.max(0, match.index - 40), match.index + 40).trim();
      const exception = exceptions.find((one) => one.path === path && around.includes(one.phrase));
      if (exception === undefined) return [`${path}: "${match[0]}" in "${around}"`];
      used.add(exception);
      return [];
    });
  });
  const unused = exceptions.filter((exception) => !used.has(exception));
  return [...violations, ...unused.map(({ path, phrase }) => `${path}: no exception needed for "${phrase}"`)];
}

/** The text on one line: comments and strings over several lines are joined, names are split into their words. */
function runningText(text: string): string {
  return text
    .replaceAll(/(["'`])\s*\+\s*\n\s*\1/g, "")
    .replaceAll(/\n\s*(?:\/\/|\*(?!\/)|#|--)?\s*/g, " ")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/_/g, " ");
}

/** The titles of a test file: strings given to `test`, `describe` and `each`, and the first string of each row. */
export function titlesOf({ path, text }: SourceFile): SourceFile {
  const calls = /(?:\b(?:test|describe)(?:\.\w+)*|\))\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gs;
  const rows = /^\s*\[\s*(["'`])((?:\\.|(?!\1).)*)\1/gm;
  const titles = [calls, rows].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[2]));
  return { path, text: titles.join("\n\n") };
}
