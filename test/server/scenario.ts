// A scenario: one request, what must come back, what must never.
import { expect, test } from "bun:test";
import { type ApiCall, at, call } from "../support/api";
import type { KeyName, Stage } from "./stage";

export interface Scenario extends Omit<ApiCall, "key"> {
  name: string;
  /** Whose key is sent; absent: none. */
  as?: KeyName | undefined;
  status: number;
  /** `name` of the Error record. */
  error?: string;
  /** Values of the answer by their path. */
  fields?: Record<string, unknown>;
  contains?: string[];
  lacks?: string[];
}

/** Traces of our insides: paths of the sources, stack frames, the engine's words, class names, sealed columns. */
const INSIDES = [
  /\n\s+at /,
  /\\n\s+at /,
  /node_modules/,
  /SQLITE/i,
  /TypeError|SyntaxError/,
  /sealed_/,
  /\.ts:\d/,
];

/** One test per row. */
export function scenarios(stage: () => Stage, rows: readonly Scenario[]): void {
  for (const row of rows) test(row.name, () => play(stage(), row));
}

export async function play(stage: Stage, scenario: Scenario): Promise<void> {
  const { as, name: _, status, error, fields = {}, contains = [], lacks = [], ...request } = scenario;
  const answer = await call(stage.site.url, {
    ...request,
    key: as === undefined ? undefined : stage.keys[as],
  });
  expect({ status: answer.status, text: answer.text }).toEqual({ status, text: answer.text });
  if (error !== undefined) expect(at(answer.body, "name")).toBe(error);
  for (const [path, value] of Object.entries(fields))
    expect({ [path]: at(answer.body, path) }).toEqual({ [path]: value });
  for (const text of contains) expect(answer.text).toContain(text);
  for (const text of lacks) expect(answer.text).not.toContain(text);
  expectNoInsides(stage, answer.text);
}

/** Neither insides nor any credential of the stage. */
export function expectNoInsides(stage: Stage, text: string): void {
  for (const inside of INSIDES) expect(text).not.toMatch(inside);
  for (const secret of [...Object.values(stage.keys), stage.site.chat.clientSecret]) {
    expect(text).not.toContain(secret);
  }
}
