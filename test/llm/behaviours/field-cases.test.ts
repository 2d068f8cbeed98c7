// Every input of the field cases about chat completions has a test: a row of the table, or a test of the name that stands
// here. A case without one fails.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answerRows } from "./answers";
import { argumentRows } from "./arguments";
import type { Behaviour } from "./behaviour";
import { endingRows } from "./endings";
import { fragmentRows } from "./fragments";
import { refusalRows } from "./refusals";
import { ruleRows } from "./rules";
import { streamRows } from "./streams";

const ROWS: readonly Behaviour[] = [
  ...fragmentRows,
  ...argumentRows,
  ...answerRows,
  ...streamRows,
  ...endingRows,
  ...refusalRows,
  ...ruleRows,
];

/** `table`: a row names it. Else the file and the words of the test. */
const CASES: Readonly<Record<string, "table" | readonly [file: string, words: string]>> = {
  "F047 a": "table",
  "F047 b": "table",
  "F047 c": "table",
  "F047 d": "table",
  'F048 ""': "table",
  'F048 " "': "table",
  "F048 null": "table",
  "F048 absent": "table",
  'F048 "{"': "table",
  'F048 "[]"': "table",
  F050: "table",
  "F051 byte by byte": "table",
  "F051 emoji split": "table",
  "F051 CRLF": "table",
  "F051 data: without space": "table",
  "F051 comment lines": "table",
  "F051 last frame": "table",
  "F053 3 frames then reset": "table",
  "F053 error object inside the stream": "table",
  "F053 500 before the first frame": "table",
  "F054 streaming": ["server/chat-pass.test.ts", "in the middle of a stream does so as well"],
  "F054 non-streaming": ["server/chat-pass.test.ts", "before an answer"],
  "F054 before the first token": ["llm/loop.test.ts", "closes the upstream of the loop within a second"],
  "F054 during a tool call": ["llm/loop.test.ts", "during a write lets it finish"],
  "F056 seconds": "table",
  "F056 date": "table",
  "F057 502 text/html": "table",
  "F057 200 text/html": "table",
  "F057 200 empty": "table",
  "F057 200 cut JSON": "table",
  "F058 {}": ["server/chat-pass.test.ts", '"no fields"'],
  "F058 messages []": ["server/chat-pass.test.ts", "an empty list of messages"],
  "F058 messages missing": ["server/chat-pass.test.ts", '"no messages"'],
  "F058 developer": ["server/chat-pass.test.ts", "the role developer"],
  "F058 narrator": ["server/chat-pass.test.ts", "an unknown role"],
  "F058 tools as object": ["server/chat-pass.test.ts", "tools as an object"],
  "F058 temperature hot": ["server/chat-pass.test.ts", "a temperature in words"],
  "F059 text and image": ["server/chat-pass.test.ts", "an image"],
  "F059 text and image, translated": [
    "llm/anthropic-requests.test.ts",
    "has images, from data and from addresses",
  ],
  "F059 assistant part list": ["server/chat-pass.test.ts", "parts in an assistant's message"],
  "F059 tool part list": ["server/chat-pass.test.ts", "parts in a tool's message"],
  "F059 null with tool_calls": ["server/chat-pass.test.ts", "null with tool calls"],
  "F059 refused by name": ["llm/anthropic-requests.test.ts", "with %s is refused by name"],
  F079: "table",
  "F079 40 s": ["long/slow-model.long.ts", "an answer after 40 s is delivered"],
  F097: "table",
  "F097 under one key": ["llm/loop.test.ts", "writes once, and the model gets the same answer"],
  F098: "table",
  "F087 private CA": [
    "server/chat-network.test.ts",
    "a server of models behind a private certificate authority",
  ],
  "F087 proxy": ["server/chat-network.test.ts", "a proxy that is dead is named"],
};

test.each(Object.entries(CASES))("%s has a test", (name, where) => {
  if (where === "table") {
    expect(ROWS.filter(({ cases }) => cases?.includes(name)).length).toBeGreaterThan(0);
    return;
  }
  const [file, words] = where;
  expect(readFileSync(join(import.meta.dir, "../..", file), "utf8")).toContain(words);
});

test("no row names a case that is not in the list", () => {
  const named = new Set(ROWS.flatMap(({ cases = [] }) => cases));
  expect([...named].filter((name) => !(name in CASES))).toEqual([]);
});

test("the table holds at least 60 behaviours, no two of one name", () => {
  const names = ROWS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(60);
});
