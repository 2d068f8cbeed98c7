// Wrong inputs for all tools, over each entry point: a caller that reads only the texts of the errors mends nearly all.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Calls, type EntryPoint, type Stage, startStage, TOOL_NAMES } from "./stage";
import { brokenConstraints, refusedInputs, type WrongInput } from "./wrong-inputs";

/** Of all wrong inputs, this part must be mended. The rest needs a person: a private link, another channel. */
const SHARE = 0.97;
const LONGEST_MS = 120_000;
/** All at the first entry point; at the others each third, because the texts are the same. */
const EACH: Readonly<Record<EntryPoint, number>> = { REST: 1, MCP: 3, "a chat loop": 3, "the terminal": 3 };

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 60_000);
afterAll(() => stage[Symbol.asyncDispose]());

/** The wrong inputs, for what exists now. */
function wrongInputs(): WrongInput[] {
  const valid = stage.validInputs();
  return [
    ...Object.entries(valid).flatMap(([tool, input]) => brokenConstraints(tool, stage.tools[tool], input)),
    ...refusedInputs(valid, stage.platforms),
  ];
}

test("every tool has an input that works", async () => {
  expect(Object.keys(stage.validInputs()).toSorted()).toEqual(TOOL_NAMES.toSorted());
  for (const tool of TOOL_NAMES) {
    const calls = await stage.mend("REST", tool, stage.validInputs()[tool] ?? {});
    expect([tool, calls.map(({ ok, text }) => (ok ? "ok" : text))]).toEqual([tool, ["ok"]]);
  }
});

test("there are wrong inputs for every tool", () => {
  const all = wrongInputs();
  expect(new Set(all.map(({ tool }) => tool)).size).toBe(TOOL_NAMES.length);
  expect(all.length).toBeGreaterThan(600);
});

describe.each(["REST", "MCP", "a chat loop", "the terminal"] as const)("over %s", (entryPoint) => {
  test(
    "nearly all wrong inputs are mended with at most two tries",
    async () => {
      const count = wrongInputs().length;
      const left: string[] = [];
      let refused = 0;
      for (let index = 0; index < count; index += EACH[entryPoint]) {
        const wrong = wrongInputs()[index];
        if (wrong === undefined) throw new Error("The wrong inputs are always the same.");
        const calls = await stage.mend(entryPoint, wrong.tool, wrong.input);
        if (calls[0]?.ok === true) continue;
        refused++;
        if (!isMended(wrong, calls)) left.push(`${wrong.title}: ${calls.at(-1)?.text ?? ""}`);
      }

      expect(refused).toBeGreaterThan(200);
      // The list shows which texts are poor.
      expect(left.slice(0, Math.max(0, left.length - Math.floor(refused * (1 - SHARE))))).toEqual([]);
    },
    LONGEST_MS,
  );
});

/** Whether the tool did what was asked: a request for the schema of an input is not it. */
function isMended({ tool, input }: WrongInput, calls: Calls): boolean {
  const last = calls.at(-1);
  const mode = "get_request_schema";
  return last?.ok === true && last.tool === tool && (last.input["mode"] !== mode || input["mode"] === mode);
}
