// What each command prints with `-o json` is what docs/cli.md says (build/references/outputs.json): no other fields, and all
// that are not marked as optional.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import outputs from "../../build/references/outputs.json";
import { nouns } from "../../cli/nouns";
import { ASKS, type Given, SERVES, startGiven } from "./examples";

const DECLARED: Readonly<Record<string, string>> = outputs;

const VERBS = (
  await Promise.all(
    nouns.map(async ({ name, load }) =>
      (await load()).verbs.map(({ usage, examples }): [string, readonly string[]] => {
        const [own = ""] = usage.split(" ");
        return [own === name ? name : `${name} ${own}`, examples];
      }),
    ),
  )
).flat();

interface Fields {
  isList: boolean;
  required: readonly string[];
  all: readonly string[];
}

/** The fields that are declared: `[{id, name?}]`; undefined if the output is described in words. */
function declaredFields(command: string): Fields | undefined {
  const [, list, text] = /^(\[?)\{([^}…]+)\}/.exec(DECLARED[command] ?? "") ?? [];
  if (text === undefined) return undefined;
  const fields = text.split(", ");
  return {
    isList: list === "[",
    required: fields.filter((field) => !field.endsWith("?")),
    all: fields.map((field) => field.replace("?", "")),
  };
}

/** How what a command printed differs from what is declared. */
function differences(stdout: string, { isList, required, all }: Fields): string[] {
  const value: unknown = JSON.parse(stdout);
  if (Array.isArray(value) !== isList) return [`it is ${isList ? "not " : ""}a list`];
  return (Array.isArray(value) ? value : [value]).flatMap((record) => {
    const found = Object.keys(Object(record));
    return [
      ...found.filter((field) => !all.includes(field)).map((field) => `${field} is not declared`),
      ...required.filter((field) => !found.includes(field)).map((field) => `${field} is missing`),
    ];
  });
}

/** The line with which an example prints JSON; undefined if it prints something else on purpose. */
function jsonLine(example: string): string | undefined {
  if (SERVES.test(example) || /[|>]| -o (?!json)|--fields|--help|--dry-run|--platform/.test(example))
    return undefined;
  const [words = "", ...behind] = example.split(/ (?=-- |< )/);
  const confirmed = example.includes(" delete ") ? " --force" : " --yes";
  const json = words.includes(" -o json") ? "" : " -o json";
  return [`${words}${ASKS.test(example) ? confirmed : ""}${json}`, ...behind].join(" ");
}

/** Registers a test for each command. `executable` is known only after the build. */
export function describeOutputs(executable: () => string): void {
  let given: Given;
  beforeAll(async () => {
    given = await startGiven(executable());
  }, 60_000);
  afterAll(() => given[Symbol.asyncDispose]());

  describe("the reference says what is printed by", () => {
    test.each(VERBS)("%s", async (command, examples) => {
      const fields = declaredFields(command);
      expect(DECLARED[command]).toBeString();
      const [example] = examples.filter((each) => jsonLine(each) !== undefined);
      if (fields === undefined || example === undefined) return;
      await given.prepare(example);
      const { code, stdout } = await given.run(jsonLine(example) ?? "");

      // Some examples cannot be carried out here; `OTHERWISE` says why.
      if (code === 0) expect([example, differences(stdout, fields)]).toEqual([example, []]);
    });
  });
}
