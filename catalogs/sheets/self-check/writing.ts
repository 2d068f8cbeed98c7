// A file of its own: how the platform reads what is typed in a locale with a decimal comma, and what it refuses.
import {
  type JsonObject,
  judged,
  kindOf,
  type PlatformCheck,
  type Seen,
  type Verdict,
  withoutExample,
} from "../../../src/tools";
import { nonEmptyTextIn, objectIn, objectsIn, textIn } from "../../upstream/json";
import { dateTimeOf } from "../cells/date-time";
import { LINK_BASE } from "../platform";
import { batchUpdate, createSpreadsheet, getCells, updateValue, updateValues } from "../upstream/calls";
import { type Asked, codeSeen, type SheetsProbe } from "./probe";

const SHEET = "Sheet1";
const LOCALE = "de_DE";
const DAY = "2026-03-01";
const TIME = "2026-03-01 09:30:00";

interface Written {
  entered: JsonObject;
  shown: string | undefined;
}

/** A value that is typed into a cell of its own, and what must be in it. */
interface Entry {
  name: string;
  expects: string;
  value: string | number | boolean;
  fits(cell: Written): boolean;
}

const ENTRIES: readonly Entry[] = [
  {
    name: "json-numbers",
    expects: "a JSON number is the same number in every locale",
    value: 1.5,
    fits: ({ entered }) => entered["numberValue"] === 1.5,
  },
  {
    name: "json-booleans",
    expects: "a JSON boolean is a boolean in every locale",
    value: true,
    fits: ({ entered }) => entered["boolValue"] === true,
  },
  {
    name: "apostrophe",
    expects: "an apostrophe in front forces text and is not stored",
    value: "'0050",
    fits: ({ entered }) => entered["stringValue"] === "0050",
  },
  {
    name: "plus-formula",
    expects: "typed text that starts with + is a formula",
    value: "+1+1",
    fits: ({ entered }) => textIn(entered, "formulaValue")?.startsWith("=") === true,
  },
  {
    name: "leading-zeros",
    expects: "typed digits are a number without leading zeros",
    value: "0050",
    fits: ({ entered }) => entered["numberValue"] === 50,
  },
  {
    name: "iso-date",
    expects: "a typed ISO date is a date in every locale",
    value: DAY,
    fits: ({ entered }) => entered["numberValue"] === dateTimeOf(DAY)?.serial,
  },
  {
    name: "iso-date-time",
    expects: "a typed ISO date with a time is a date in every locale",
    value: TIME,
    fits: ({ entered }) => isNear(entered["numberValue"], dateTimeOf(TIME)?.serial),
  },
  {
    name: "semicolons",
    expects: "formulas read ; between arguments in a locale with a decimal comma",
    value: "=SUM(1;2)",
    fits: ({ entered, shown }) => kindOf(entered["formulaValue"]) === "text" && shown === "3",
  },
  {
    name: "decimal-comma",
    expects: "a typed number is read by the locale of the file",
    value: "1,5",
    fits: ({ entered }) => entered["numberValue"] === 1.5,
  },
  {
    name: "decimal-point",
    expects: "with a decimal comma, typed 1.5 is not this number",
    value: "1.5",
    fits: ({ entered }) => entered["numberValue"] !== 1.5,
  },
  {
    name: "blocked-functions",
    expects: "a formula that loads from outside shows #REF! until a person allows it",
    value: '=IMAGE("https://example.invalid/self-check.png")',
    fits: ({ shown }) => shown === "#REF!",
  },
];

const entryCheck = ({ name, expects, fits }: Entry, index: number): PlatformCheck<SheetsProbe> => ({
  name,
  expects,
  tool: "WriteToCell",
  writes: true,
  async run(probe) {
    const cells = await written(probe);
    if (cells === undefined) return withoutExample();
    const cell = cells[index] ?? { entered: {}, shown: undefined };
    const kinds = ["numberValue", "boolValue", "stringValue", "formulaValue"].filter(
      (kind) => kind in cell.entered,
    );
    const seen: Record<string, boolean> = Object.fromEntries(kinds.map((kind) => [kind, true]));
    return judged(fits(cell), { ...seen, shows_an_error: cell.shown?.startsWith("#") === true });
  },
});

export const WRITING: readonly PlatformCheck<SheetsProbe>[] = [
  {
    name: "own-file",
    expects: "spreadsheets.create answers with id, address and sheets, and keeps title and locale",
    tool: "CreateSpreadsheet",
    writes: true,
    async run(probe) {
      const asked = await created(probe);
      const [sheet = {}] = objectsIn(asked.body, "sheets");
      const seen = {
        ...codeSeen(asked),
        id: kindOf(asked.body["spreadsheetId"]),
        address_fits: textIn(asked.body, "spreadsheetUrl")?.startsWith(LINK_BASE) === true,
        title_kept: objectIn(sheet, "properties")["title"] === SHEET,
        locale_kept: objectIn(asked.body, "properties")["locale"] === LOCALE,
      };
      return judged(
        asked.ok && seen.id === "text" && seen.address_fits && seen.title_kept && seen.locale_kept,
        seen,
      );
    },
  },
  ...ENTRIES.map(entryCheck),
  {
    name: "shown-value",
    expects: "the answer to a written value has what the cell shows",
    tool: "WriteToCell",
    writes: true,
    async run(probe) {
      const file = await ownFile(probe);
      if (file === undefined) return withoutExample();
      const asked = await probe.ask(updateValue(file, `${SHEET}!D1`, "0050"));
      const isShown = JSON.stringify(objectIn(asked.body, "updatedData")["values"]) === '[["50"]]';
      return judged(asked.ok && isShown, { ...codeSeen(asked), shown_as_50: isShown });
    },
  },
  {
    name: "notes",
    expects: "a note is written with updateCells and read with its cell",
    tool: "AddNoteToCell",
    writes: true,
    async run(probe) {
      const file = await ownFile(probe);
      if (file === undefined) return withoutExample();
      const [sheet = {}] = objectsIn((await created(probe)).body, "sheets");
      const sheetId = objectIn(sheet, "properties")["sheetId"] ?? 0;
      const start = { sheetId, rowIndex: 0, columnIndex: 2 };
      const rows = [{ values: [{ note: "self-check" }] }];
      const change = await probe.ask(
        batchUpdate(file, [{ updateCells: { start, rows, fields: "note" } }], { once: false }),
      );
      const [cell = {}] = cellsIn(await probe.ask(getCells(file, `${SHEET}!C1`)));
      const isKept = cell["note"] === "self-check";
      return judged(change.ok && isKept, { ...codeSeen(change), note_kept: isKept });
    },
  },
  {
    name: "unknown-range",
    expects: "a range of a sheet that does not exist is 400 with the words that the tools recognize",
    tool: "GetSpreadsheet",
    writes: true,
    run: (probe) => refusal(probe, (file) => getCells(file, "Self-check!A1"), "unknown_range"),
  },
  {
    name: "outside-the-grid",
    expects: "a write below the last row is 400 with the words that the tools recognize",
    tool: "WriteToCell",
    writes: true,
    run: (probe) => refusal(probe, (file) => updateValue(file, `${SHEET}!A99999`, "x"), "outside_grid"),
  },
];

async function refusal(
  probe: SheetsProbe,
  call: (file: string) => Parameters<SheetsProbe["ask"]>[0],
  problem: string,
): Promise<Verdict> {
  const file = await ownFile(probe);
  if (file === undefined) return withoutExample();
  const asked = await probe.ask(call(file));
  const seen: Seen = codeSeen(asked);
  return judged(asked.status === 400 && seen["problem"] === problem, seen);
}

function created(probe: SheetsProbe): Promise<Asked> {
  return probe.once("created", () => {
    const call = createSpreadsheet({
      properties: { title: "Self-check of the runtime (can be deleted)", locale: LOCALE },
      sheets: [{ properties: { title: SHEET } }],
    });
    const fields = "spreadsheetId,spreadsheetUrl,properties(title,locale),sheets(properties(sheetId,title))";
    return probe.ask({ ...call, query: { fields } });
  });
}

async function ownFile(probe: SheetsProbe): Promise<string | undefined> {
  return nonEmptyTextIn((await created(probe)).body, "spreadsheetId");
}

/** The cells that the entries became, in their order; undefined if there is no file. */
function written(probe: SheetsProbe): Promise<Written[] | undefined> {
  return probe.once("written", async () => {
    const file = await ownFile(probe);
    if (file === undefined) return undefined;
    const range = `${SHEET}!A1:A${ENTRIES.length}`;
    const values = ENTRIES.map(({ value }) => [value]);
    const { ok } = await probe.ask(
      updateValues(file, [{ range, majorDimension: "ROWS", values }], { shown: false }),
    );
    if (!ok) return undefined;
    return cellsIn(await probe.ask(getCells(file, range))).map((cell) => ({
      entered: objectIn(cell, "userEnteredValue"),
      shown: textIn(cell, "formattedValue"),
    }));
  });
}

/** The first cell of each row. */
function cellsIn({ body }: Asked): JsonObject[] {
  const [sheet = {}] = objectsIn(body, "sheets");
  const [data = {}] = objectsIn(sheet, "data");
  return objectsIn(data, "rowData").map((row) => objectsIn(row, "values")[0] ?? {});
}

function isNear(value: unknown, wanted: number | undefined): boolean {
  return typeof value === "number" && wanted !== undefined && Math.abs(value - wanted) < 1e-6;
}
