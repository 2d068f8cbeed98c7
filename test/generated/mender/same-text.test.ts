// Every refusal of an input, and every error code of the platforms, says the same at each entry point.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { CODES as CHAT_CODES } from "../../../catalogs/chat/upstream/codes";
import { CODES as RECORD_CODES } from "../../../catalogs/records/upstream/codes";
import { REASONS } from "../../../catalogs/sheets/upstream/reasons";
import type { Input } from "./mender";
import { type EntryPoint, type Stage, startStage } from "./stage";
import { brokenConstraints, refusedInputs, type WrongInput } from "./wrong-inputs";

const ENTRY_POINTS: readonly EntryPoint[] = ["REST", "MCP", "a chat loop", "the terminal"];
const LONGEST_MS = 240_000;

let stage: Stage;
let valid: Record<string, Input>;
beforeAll(async () => {
  stage = await startStage();
  valid = stage.validInputs();
}, 60_000);
afterAll(() => stage[Symbol.asyncDispose]());

/** The text of the first call at each entry point; undefined where it succeeded. `before`: of each call. */
async function textsOf(tool: string, input: Input, before: () => void = () => undefined) {
  const texts: (string | undefined)[] = [];
  for (const entryPoint of ENTRY_POINTS) {
    before();
    const first = await stage.call(entryPoint, tool, input);
    texts.push(first.ok ? undefined : first.text);
  }
  return texts;
}

const NEXT_STEP =
  /call (this tool )?again|try again|again later|tell the user|ask the user|authorize|choose another|must be created|leave .* out|use the/i;

/** What no text may be: another one elsewhere, one without a next step, one of the validator, or one with a hole. */
function faultsOf(texts: readonly (string | undefined)[]): string[] {
  const [text] = texts;
  if (text === undefined) return [];
  const other = texts.findIndex((each) => each !== text);
  return [
    ...(other < 0 ? [] : [`${ENTRY_POINTS[other]} says something else: ${texts[other]}`]),
    ...(NEXT_STEP.test(text) ? [] : ["it has no next step"]),
    ...(/undefined|NaN|\[object|allowed values|equal to constant/.test(text) ? ["it has a hole"] : []),
  ].map((fault) => `${fault}: ${text}`);
}

test(
  "wrong inputs",
  async () => {
    const all: WrongInput[] = [
      ...Object.entries(valid).flatMap(([tool, input]) => brokenConstraints(tool, stage.tools[tool], input)),
      ...refusedInputs(valid, stage.platforms),
    ];
    const faults: string[] = [];
    for (const { title, tool, input } of all)
      for (const fault of faultsOf(await textsOf(tool, input))) faults.push(`${title}: ${fault}`);
    expect(faults).toEqual([]);
  },
  LONGEST_MS,
);

/** About the grant: the connection would end. They are in the catalogs' own tests. */
const OF_THE_GRANT = ["dead", "scope", "throttled", "done", "quota"];

test(
  "error codes of the chat platform",
  async () => {
    const { chat } = stage.platforms;
    const faults: string[] = [];
    for (const [error, { meaning }] of CHAT_CODES) {
      if (OF_THE_GRANT.includes(meaning)) continue;
      const texts = await textsOf(
        "Chat.GetConversationMetadataById",
        { conversation_id: "C000000001" },
        () => {
          chat.clearFaults();
          chat.fail("conversations.info", { kind: "error", error }, 9);
        },
      );
      if (texts.includes(undefined)) faults.push(`${error}: no error`);
      for (const fault of faultsOf(texts)) faults.push(`${error}: ${fault}`);
    }
    chat.clearFaults();
    expect(faults).toEqual([]);
  },
  LONGEST_MS,
);

test(
  "answer codes of the records platform",
  async () => {
    const { records } = stage.platforms;
    const faults: string[] = [];
    for (const [code, { meaning }] of Object.entries(RECORD_CODES)) {
      if (OF_THE_GRANT.includes(meaning)) continue;
      const tool = "VendorCreatorApi.UpdateVendorRecord";
      const texts = await textsOf(tool, valid[tool] ?? {}, () => {
        records.clearFaults();
        records.fail("data.update", { kind: "refuse", status: 400, code: Number(code), text: "Refused." }, 9);
      });
      if (texts.includes(undefined)) faults.push(`${code}: no error`);
      for (const fault of faultsOf(texts)) faults.push(`${code}: ${fault}`);
    }
    records.clearFaults();
    expect(faults).toEqual([]);
  },
  LONGEST_MS,
);

test(
  "reasons of the spreadsheet platform",
  async () => {
    const { sheets } = stage.platforms;
    const faults: string[] = [];
    for (const [reason, { meaning }] of REASONS) {
      if (OF_THE_GRANT.includes(meaning) || meaning === "failed") continue;
      const tool = "Sheets.GetSpreadsheetMetadata";
      const texts = await textsOf(tool, valid[tool] ?? {}, () => {
        sheets.clearFaults();
        sheets.fail("spreadsheets.get", { kind: "drive_error", code: 403, reason, message: "Refused." }, 9);
      });
      if (texts.includes(undefined)) faults.push(`${reason}: no error`);
      for (const fault of faultsOf(texts)) faults.push(`${reason}: ${fault}`);
    }
    sheets.clearFaults();
    expect(faults).toEqual([]);
  },
  LONGEST_MS,
);
