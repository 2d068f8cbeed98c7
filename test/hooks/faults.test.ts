// A failing fail_closed hook never lets a call through: a thousand random faults, and no request to the platform.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { randomOf } from "../support/long";
import { operator } from "../tools/deployment";
import { type Hooked, hooked } from "./hooked";
import { FAULTS, json, type Respond } from "./webhook-peer";

const ROUNDS = 1000;
const AT_A_TIME = 40;

let stage: Hooked;
beforeAll(async () => {
  stage = await hooked();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** A random integer below a limit. */
type Roll = (sides: number) => number;
type Fault = (roll: Roll, point: string) => Respond;

const raw = (response: ServerResponse, text: string | Uint8Array): void => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(text);
};
const GOOD: Record<string, string> = { access: "{}", pre: '{"code":"OK"}' };
const WORDS = [
  "",
  " ",
  "OK",
  "null",
  "true",
  "0",
  '"OK"',
  "[]",
  "{",
  "NaN",
  "<ok/>",
  "code=OK",
  "\u0000",
  "{}{}",
];
const STATUSES = [300, 400, 401, 404, 429, 500, 502, 503, 504];
const CODES = [null, 0, true, "ok", "Ok", "OK ", "ALLOW", "CHECK_FAILED_", "", [], {}, ["OK"]];
const SHAPES = [[], "x", 1, true];

/** Invalid answers, none of which allows the call. */
const BROKEN: Fault[] = [
  ...Object.values(FAULTS).map(
    (fault): Fault =>
      () =>
        fault,
  ),
  (roll) => (_asked, response) => json(response, STATUSES[roll(STATUSES.length)] ?? 500, { code: "OK" }),
  // The valid answer, truncated, or complete with a larger declared length.
  (roll, point) => (_asked, response) =>
    raw(response, (GOOD[point] ?? "").slice(0, roll(GOOD[point]?.length ?? 1))),
  (roll, point) => (_asked, response, request) => {
    const text = GOOD[point] ?? "";
    const headers = {
      "content-type": "application/json",
      "content-length": String(text.length + 1 + roll(9)),
    };
    response.writeHead(200, headers);
    response.write(text, () => request.socket.destroy());
  },
  (roll) => (_asked, response) => raw(response, WORDS[roll(WORDS.length)] ?? ""),
  (roll) => (_asked, response) => json(response, 200, { code: CODES[roll(CODES.length)], only: 1 }),
  (roll) => (_asked, response) =>
    json(response, 200, { code: "OK", override: SHAPES[roll(4)], only: SHAPES[roll(4)] }),
  (roll) => (_asked, response) => {
    const bytes = Array.from({ length: 1 + roll(64) }, () => 128 + roll(128));
    raw(response, Uint8Array.from(bytes));
  },
  () => (_asked, response) => {
    response.writeHead(204);
    response.end();
  },
];

test("1,000 random faults, fail_closed: no call reaches the platform", async () => {
  const seed = Number(process.env["RUNTIME_TEST_SEED"] ?? Date.now() % 2 ** 31);
  const random = randomOf(seed);
  const roll: Roll = (sides) => Math.floor(random() * sides);
  const { runtime, platform } = stage.deployment;
  const { hooks } = await stage.plugin({ points: ["access", "pre"], timeout_ms: 250 });
  const before = platform.calls.length;
  const kinds = new Map<string, number>();
  const run = async (): Promise<void> => {
    const result = await runtime.tools.execute(operator(), { tool_name: "Test.Call", user_id: "alice" });
    const kind = result.output?.error?.kind ?? "none";
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  };
  // About half of them pass the access hook and fail at the pre hook.
  stage.project.respond = (asked, response, request) => {
    if (asked.path === "access" && roll(2) === 0) return raw(response, GOOD["access"] ?? "");
    return BROKEN[roll(BROKEN.length)]?.(roll, asked.path)(asked, response, request);
  };
  let left = ROUNDS;
  const work = async (): Promise<void> => {
    while (left-- > 0) await run();
  };

  await Promise.all(Array.from({ length: AT_A_TIME }, work));

  expect({ seed, reached: platform.calls.length - before }).toEqual({ seed, reached: 0 });
  expect({ seed, kinds: [...kinds] }).toEqual({ seed, kinds: [["CONTEXT_CHECK_FAILED", ROUNDS]] });
  expect(stage.project.count("pre")).toBeGreaterThan(ROUNDS / 4);
  // Positive control: with a valid answer, calls go through.
  stage.project.respond = ({ path }, response) => raw(response, GOOD[path] ?? "");
  for (const id of Object.values(hooks)) await runtime.hooks.update(operator(), id, { timeout_ms: 10_000 });
  await run();
  expect(platform.calls.length - before).toBe(1);
}, 60_000);
