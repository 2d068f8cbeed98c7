// The table of behaviours: each row whole and streamed, against a stand-in that refuses what real servers refuse.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Behaviour } from "./behaviour";
import { answerRows } from "./answers";
import { argumentRows } from "./arguments";
import { endingRows } from "./endings";
import { failedRows } from "./failed";
import { fragmentRows } from "./fragments";
import { refusalRows } from "./refusals";
import { ruleRows } from "./rules";
import { streamRows } from "./streams";
import { textRows } from "./texts";
import { ask, type Seen, type Stage, startStage, TOOLS } from "./stage";

const GROUPS: Readonly<Record<string, readonly Behaviour[]>> = {
  "calls in fragments": fragmentRows,
  "arguments of calls": argumentRows,
  "answers to calls": answerRows,
  "bytes of streams": streamRows,
  "ends of turns": endingRows,
  "turns that fail": failedRows,
  "texts and fields": textRows,
  "refusals and failures": refusalRows,
  "rules of the loop": ruleRows,
};

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ RUNTIME_LLM_TIMEOUT: "2" });
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(() => stage.reset());

const modes = ({ only }: Behaviour): ("whole" | "stream")[] =>
  only === undefined ? ["whole", "stream"] : [only];

const tags = ({ faults = [] }: Behaviour): string => faults.map((fault) => ` [fault: ${fault}]`).join("");

for (const [group, rows] of Object.entries(GROUPS)) {
  describe(group, () => {
    const each = rows.flatMap((row) => modes(row).map((mode) => [row.name, mode, tags(row), row] as const));
    test.each(each)("%s (%s)%s", async (_name, mode, _tags, row) => {
      check(row, await asked(row, mode === "stream"), mode === "stream");
    });
  });
}

test("the table holds at least 60 behaviours with distinct names", () => {
  const names = Object.values(GROUPS).flatMap((rows) => rows.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(60);
});

async function asked(row: Behaviour, stream: boolean): Promise<Seen> {
  if (row.act !== undefined) stage.act(row.act);
  stage.chat.upstream.script((request, reply, turn, exchange) =>
    (row.turns[turn] ?? row.turns.at(-1))?.(request, reply, turn, exchange),
  );
  const body = {
    model: "test-model",
    messages: [{ role: "user", content: "Look." }],
    user: "alice",
    tools: TOOLS,
    tool_choice: "generate",
    ...row.request,
  };
  return ask(stage.chat, body, stream);
}

function check(row: Behaviour, seen: Seen, stream: boolean): void {
  const { upstream } = stage.chat;
  const answers = seen.messages.filter(({ role }) => role === "tool");
  // What the stand-in of a strict server refuses, a real one would.
  expect(upstream.refusals).toEqual([]);
  expect({ error: seen.error, status: seen.status }).toEqual({
    error: row.error === undefined ? undefined : expect.stringMatching(row.error),
    status: row.status ?? 200,
  });
  if (row.error === undefined) expect(seen.done).toBe(true);
  else if (stream && seen.status === 200) expect(seen.done).toBe(false);
  if (row.runs !== undefined) expect(stage.runs).toEqual([...row.runs]);
  if (row.content !== undefined) expect(seen.content).toMatch(exactly(row.content));
  if (row.finish !== undefined) expect(seen.finish).toBe(row.finish);
  if (row.answers !== undefined) {
    expect(answers.map(({ content }) => content)).toEqual(
      row.answers.map((one) => expect.stringMatching(one)),
    );
  }
  if (row.ids !== undefined) expect(answers.map(({ tool_call_id: id }) => id)).toEqual([...row.ids]);
  if (row.asked !== undefined) expect(upstream.requests.length).toBe(row.asked);
  row.also?.(seen, stage);
}

function exactly(text: string | RegExp): RegExp {
  return typeof text === "string" ? new RegExp(`^${RegExp.escape(text)}$`, "u") : text;
}
