// The parameter `data`: what is read, and every way in which it is refused.
import { describe, expect, test } from "bun:test";
import { parseData } from "../../../../catalogs/sheets/cells/data";
import { ToolError } from "../../../../src/tools";

async function failure(text: string): Promise<ToolError> {
  try {
    await parseData(text);
  } catch (error) {
    if (error instanceof ToolError) return error;
  }
  throw new Error("It should have been refused.");
}

test("cells are sorted by row and column for any order and case of the keys", async () => {
  expect(await parseData('{"23":{"c":5},"2":{"AA":true,"B":"x"}}')).toEqual({
    cells: [
      { row: 2, column: 2, value: "x" },
      { row: 2, column: 27, value: true },
      { row: 23, column: 3, value: 5 },
    ],
    lastRow: 23,
    lastColumn: 27,
  });
});

test.each([undefined, "{}", '{"5":{}}', " { } "])("%p contains no cells", async (text) => {
  expect(await parseData(text)).toEqual({ cells: [], lastRow: 0, lastColumn: 0 });
});

test.each<[string, unknown]>([
  ['{"1":{"A":"x"}}', "x"],
  ['{"1":{"A":""}}', ""],
  ['{"1":{"A":-1.5e3}}', -1500],
  ['{"1":{"A":false}}', false],
  ['{"1":{"A":0.30000000000000004}}', 0.1 + 0.2],
  ['{"1":{"A":9007199254740991}}', Number.MAX_SAFE_INTEGER],
  ['{"1":{"A":1e300}}', 1e300],
  ['{"1":{"A":100000000000000000000000}}', 1e23],
  ['{"1":{"A":0.1000000000000000000000}}', 0.1],
  ['{"1":{"A":0.0e5}}', 0],
  [JSON.stringify({ 1: { A: "x".repeat(50_000) } }), "x".repeat(50_000)],
  [JSON.stringify({ 1: { A: "😀".repeat(50_000) } }), "😀".repeat(50_000)],
])("a value is unchanged: %#", async (text, value) => {
  expect((await parseData(text)).cells).toEqual([expect.objectContaining({ value })]);
});

test.each([
  ['{"10000000":{"A":1}}', 10_000_000, 1],
  ['{"547":{"ZZZ":1}}', 547, 18_278],
])("the largest grid is allowed: %s", async (text, lastRow, lastColumn) => {
  expect(await parseData(text)).toMatchObject({ lastRow, lastColumn });
});

describe("refused", () => {
  test.each<[string, string]>([
    ["", "data must be JSON text"],
    ["{'1':{}}", "data must be JSON text"],
    ['{"1":{"A":1},}', "data must be JSON text"],
    ['{"1":{"A":NaN}} ', "data must be JSON text"],
    ['{"1":{"A":1}} // note', "data must be JSON text"],
    ["[]", "must be a JSON object"],
    ["null", "must be a JSON object"],
    ['"text"', "must be a JSON object"],
    ['{"0":{"A":1}}', 'row "0" must be a number from 1 to 10000000 (nearest: 1)'],
    ['{"-1":{"A":1}}', 'row "-1"'],
    ['{"1.5":{"A":1}}', 'row "1.5"'],
    ['{" 7 ":{"A":1}}', 'row " 7 "'],
    ['{"1_000":{"A":1}}', 'row "1_000"'],
    ['{"01":{"A":1}}', 'row "01"'],
    ['{"1e3":{"A":1}}', 'row "1e3"'],
    ['{"٣":{"A":1}}', 'row "٣"'],
    ['{"10000001":{"A":1}}', 'row "10000001"'],
    [`{"${"9".repeat(400)}":{"A":1}}`, "row"],
    ['{"1":[]}', "data.1 must be an object"],
    ['{"1":null}', "data.1 must be an object"],
    ['{"1":5}', "data.1 must be an object"],
    ['{"7":{"Ä":1}}', 'in data.7, the column "Ä" must be'],
    ['{"7":{"":1}}', "in data.7, the column"],
    ['{"7":{"A1":1}}', "(nearest: A)"],
    ['{"7":{"1":1}}', 'column "1" must be letters from A to ZZZ (nearest: A)'],
    ['{"7":{"AAAA":1}}', 'column "AAAA"'],
    ['{"7":{"ZZZA":1}}', 'column "ZZZA"'],
    ['{"7":{" B":1}}', 'column " B"'],
    ['{"7":{"b":1,"B":2}}', "data.7 must not contain the column B twice"],
    ['{"7":{"B":1,"B":2}}', 'the key "B" must not occur twice'],
    ['{"7":{"B":1},"7":{"C":2}}', 'the key "7" must not occur twice'],
    ['{"7":{"B":null}}', "data.7.B must be"],
    ['{"7":{"B":[1]}}', "data.7.B must be"],
    ['{"7":{"B":{"v":1}}}', "data.7.B must be"],
    [
      '{"7":{"B":12345678901234567890}}',
      'data.7.B must not be a number with more digits than a cell can hold (nearest: "12345678901234567890")',
    ],
    ['{"7":{"B":-9007199254740993}}', '(nearest: "-9007199254740993")'],
    ['{"7":{"B":18446744073709551616}}', '(nearest: "18446744073709551616")'],
    ['{"7":{"B":0.12345678901234567890123}}', "more digits than a cell can hold"],
    ['{"7":{"B":1e-400}}', "more digits than a cell can hold"],
    ['{"7":12345678901234567890}', "data.7 must be an object"],
    [`{"7":{"B":${"9".repeat(300)}}}`, "more digits than a cell can hold"],
    ['{"7":{"B":1e400}}', "data.7.B must not be a number that is too large"],
    [JSON.stringify({ 7: { B: "x".repeat(50_001) } }), "data.7.B must have at most 50000 characters"],
    ['{"10000000":{"B":1}}', "at most 10000000"],
    ['{"548":{"ZZZ":1}}', "ZZZ548"],
    ['{"1":{"ZZZ":1},"1000":{"A":1}}', "at most 10000000"],
  ])("%s", async (text, rule) => {
    const error = await failure(text);
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.message).toStartWith("`data` is not valid: ");
    expect(error.message).toContain(rule);
    expect(error.details.additionalPromptContent).toContain('{"23": {"C": 5');
    expect(error.message.length).toBeLessThan(300);
  });
});
