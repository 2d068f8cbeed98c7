// Sheets.SearchSpreadsheets against the stand-in of the platform.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from "../../../sandbox/sheets";
import { at, basesOf, Connection } from "../run";
import { refusal, Stub } from "../stub";

let sandbox: SheetsSandbox;
let team = "";
const time = (day: number): number => Date.parse(`2026-02-${String(day).padStart(2, "0")}T00:00:00Z`);

beforeAll(async () => {
  sandbox = await startSheetsSandbox();
  const add = (title: string, day: number, more: object = {}): string =>
    sandbox.addFile({ title, createdAt: time(day), modifiedAt: time(20 - day), ...more });
  add("Budget2026", 1);
  add("Budget plan", 2);
  add("Plan 12", 3);
  add("plan 2", 4);
  add(String.raw`Jon's \ list`, 5);
  add("Trashed plan", 6, { trashed: true });
  add("Not opened", 7, { opened: false });
  add("Letter", 8, { mimeType: "application/vnd.google-apps.document" });
  team = sandbox.addDrive(["alice"]);
  sandbox.open(add("Team plan", 9, { driveId: team }), "alice");
});
beforeEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});
afterAll(() => sandbox.stop());

const search = (input: object = {}) => Connection.to(sandbox).run("SearchSpreadsheets", { ...input });
const failure = (input: object = {}) => Connection.to(sandbox).failure("SearchSpreadsheets", { ...input });
const queryOf = () => sandbox.requests[0]?.query ?? {};
function names(output: unknown): string[] {
  const found = at(output, "spreadsheets");
  return Array.isArray(found) ? found.map((file) => String(at(file, "name"))) : [];
}

test("one call lists the opened files, the last modified first, without the trash", async () => {
  const output = await search();
  expect(names(output)).toEqual(["Budget2026", "Budget plan", "Plan 12", "plan 2", String.raw`Jon's \ list`]);
  expect(at(output, "spreadsheets_count")).toBe(5);
  expect(output).not.toHaveProperty("pagination_token");
  expect(output).not.toHaveProperty("incomplete_search");
  expect(at(output, "spreadsheets.0")).toEqual({
    id: expect.any(String),
    name: "Budget2026",
    url: expect.stringContaining("https://docs.google.com/spreadsheets/d/"),
    created_time: "2026-02-01T00:00:00.000Z",
    modified_time: "2026-02-19T00:00:00.000Z",
    owners: ["Alice Example <alice@mail.example>"],
  });
  expect(sandbox.requests.map(({ method }) => method)).toEqual(["files.list"]);
  expect(queryOf()).toEqual({
    q: "mimeType = 'application/vnd.google-apps.spreadsheet' and trashed = false",
    orderBy: "modifiedTime desc",
    corpora: "user",
    pageSize: "10",
    fields:
      "nextPageToken,incompleteSearch,files(id,name,createdTime,modifiedTime,webViewLink,driveId,owners(displayName,emailAddress))",
  });
});

describe("keywords", () => {
  test("wanted and unwanted words are searched only in titles", async () => {
    const output = await search({
      spreadsheet_contains: ["plan"],
      spreadsheet_not_contains: ["budget", "12"],
    });
    expect(names(output)).toEqual(["plan 2"]);
    expect(queryOf()["q"]).toEndWith(
      "trashed = false and name contains 'plan' and not name contains 'budget' and not name contains '12'",
    );
    expect(queryOf()["q"]).not.toContain("fullText");
  });

  test("a single one may be text, and a list may be JSON text", async () => {
    expect(names(await search({ spreadsheet_contains: "  budget " }))).toEqual(["Budget2026", "Budget plan"]);
    expect(names(await search({ spreadsheet_contains: '["budget","plan"]' }))).toEqual(["Budget plan"]);
  });

  test("quotes and backslashes are escaped, backslashes first", async () => {
    expect(names(await search({ spreadsheet_contains: [String.raw`Jon's \ list`] }))).toHaveLength(1);
    expect(queryOf()["q"]).toContain(String.raw`name contains 'Jon\'s \\ list'`);
  });

  test.each([
    { spreadsheet_contains: [""] },
    { spreadsheet_contains: ["a", "  "] },
    { spreadsheet_not_contains: " " },
    { spreadsheet_contains: [5] },
  ])("blank and non-text keywords are refused: %#", async (input) => {
    expect((await failure(input)).kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(sandbox.calls()).toBe(0);
  });

  test("an order is kept with a keyword", async () => {
    const output = await search({ spreadsheet_contains: ["plan"], order_by: "createdTime desc" });
    expect(names(output)).toEqual(["plan 2", "Plan 12", "Budget plan"]);
  });
});

describe("order", () => {
  test.each<[unknown, string]>([
    ["name", "name"],
    ["name_natural desc", "name_natural desc"],
    [["starred desc", "name"], "starred desc,name"],
    ['["folder","recency desc"]', "folder,recency desc"],
    [[], "modifiedTime desc"],
    [null, "modifiedTime desc"],
  ])("%p is sent as %s", async (order_by, expected) => {
    await search({ order_by });
    expect(queryOf()["orderBy"]).toBe(expected);
  });

  test("sorts numbers in names as text, or by their value", async () => {
    const plans = { spreadsheet_contains: "plan", spreadsheet_not_contains: "budget" };
    expect(names(await search({ ...plans, order_by: "name" }))).toEqual(["Plan 12", "plan 2"]);
    expect(names(await search({ ...plans, order_by: "name_natural" }))).toEqual(["plan 2", "Plan 12"]);
  });

  test.each([["MODIFIED_TIME_DESC"], ["size"], ["name asc"], [["name", "x"]]])(
    "%p is refused",
    async (order_by) => {
      expect((await failure({ order_by })).kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
      expect(sandbox.calls()).toBe(0);
    },
  );
});

describe("where to search", () => {
  const all = { includeItemsFromAllDrives: "true", supportsAllDrives: "true" };
  const drive = (): Record<string, unknown> => ({ search_only_in_shared_drive_id: team });

  test("in one shared drive, above all other choices", async () => {
    const output = await search({
      ...drive(),
      include_shared_drives: true,
      include_organization_domain_spreadsheets: true,
    });
    expect(names(output)).toEqual(["Team plan"]);
    expect(at(output, "spreadsheets.0")).toMatchObject({ shared_drive_id: team, owners: [] });
    expect(queryOf()).toMatchObject({ corpora: "drive", driveId: team, ...all });
  });

  test("in all shared drives, with all three parameters", async () => {
    expect(names(await search({ include_shared_drives: true }))).toContain("Team plan");
    expect(queryOf()).toMatchObject({ corpora: "allDrives", ...all });
  });

  /** A platform with files of the user and of the organization, two in each page. One is in both. */
  const organization = (): Stub => {
    const files = (...ids: string[]) => ids.map((id) => ({ id, name: id }));
    return new Stub()
      .on(/corpora=(user|allDrives).*pageToken=two/, { files: files("own-3") })
      .on(/corpora=(user|allDrives)/, { files: files("own-1", "both"), nextPageToken: "two" })
      .on(/corpora=domain.*pageToken=two/, { files: files("theirs-2") })
      .on(/corpora=domain/, { files: files("both", "theirs-1"), nextPageToken: "two" });
  };
  const EVERYTHING = ["own-1", "both", "own-3", "theirs-1", "theirs-2"];
  const wide = { include_organization_domain_spreadsheets: true };

  test.each([
    ["the user's own files", {}, "user"],
    ["those of shared drives too", { include_shared_drives: true }, "allDrives"],
  ])("also in the organization, after %s", async (_, more, corpora) => {
    await using stub = organization();
    const output = await new Connection(basesOf(stub.url)).run("SearchSpreadsheets", { ...wide, ...more });
    expect(names(output)).toEqual(EVERYTHING);
    expect(output).not.toHaveProperty("pagination_token");
    const asked = stub.requests.map(({ address }) => /corpora=(\w+)/.exec(address)?.[1]);
    expect(asked).toEqual([corpora, corpora, "domain", "domain"]);
    expect(stub.requests.at(-1)?.address).toContain("includeItemsFromAllDrives=true&supportsAllDrives=true");
  });

  test("a token continues in the organization's part", async () => {
    await using stub = organization();
    const connection = new Connection(basesOf(stub.url));
    const seen: string[] = [];
    let pagination_token: unknown = "";
    do {
      const page = await connection.run("SearchSpreadsheets", { ...wide, limit: 2, pagination_token });
      seen.push(...names(page));
      pagination_token = at(page, "pagination_token");
    } while (pagination_token !== undefined);
    expect([...new Set(seen)]).toEqual(EVERYTHING);
  });

  test("a token of the organization's part does not fit a search without it", async () => {
    expect(await failure({ pagination_token: "domain:" })).toMatchObject({ kind: "TOOL_RUNTIME_RETRY" });
  });

  test("a missing drive is not found, with the platform's message", async () => {
    const error = await failure({ search_only_in_shared_drive_id: "0Anowhere" });
    expect(error).toMatchObject({
      kind: "UPSTREAM_RUNTIME_NOT_FOUND",
      message: "`search_only_in_shared_drive_id` was not found: Shared drive not found: 0Anowhere.",
    });
  });

  test.each(["a b", "a/b", "'"])("an invalid id is refused: %s", async (search_only_in_shared_drive_id) => {
    expect((await failure({ search_only_in_shared_drive_id })).kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(sandbox.calls()).toBe(0);
  });
});

describe("pages", () => {
  test("continue where the previous one ended", async () => {
    const first = await search({ limit: 2 });
    expect(names(first)).toEqual(["Budget2026", "Budget plan"]);
    const rest = await search({ limit: 3, pagination_token: at(first, "pagination_token") });
    expect(names(rest)).toEqual(["Plan 12", "plan 2", String.raw`Jon's \ list`]);
    expect(rest).not.toHaveProperty("pagination_token");
  });

  test("that are short are filled up by requests for the missing results", async () => {
    sandbox.fail("files.list", { kind: "short_page", items: 0 });
    sandbox.fail("files.list", { kind: "short_page", items: 1 });
    const output = await search({ limit: 3 });
    expect(names(output)).toEqual(["Budget2026", "Budget plan", "Plan 12"]);
    expect(sandbox.requests.map(({ query }) => query["pageSize"])).toEqual(["3", "3", "2"]);
    expect(names(await search({ limit: 5, pagination_token: at(output, "pagination_token") }))).toHaveLength(
      2,
    );
  });

  test("are at most five; the results so far are returned with the token", async () => {
    sandbox.fail("files.list", { kind: "short_page", items: 0 }, 9);
    const output = await search();
    expect(output).toMatchObject({ spreadsheets_count: 0, pagination_token: expect.any(String) });
    expect(sandbox.calls()).toBe(5);
  });

  test.each([["nonsense"], ["of another search"]])(
    "a token that is %s asks for a new search",
    async (kind) => {
      const other = at(await search({ limit: 1, order_by: "name" }), "pagination_token");
      const error = await failure({ pagination_token: kind === "nonsense" ? kind : other });
      expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
      expect(error.details.additionalPromptContent).toContain("without `pagination_token`");
    },
  );

  test("an empty token is none", async () => {
    expect(names(await search({ pagination_token: "" }))).toHaveLength(5);
  });

  test.each([0, 51, -1, 2.5, "many"])("limit %p is refused", async (limit) => {
    expect((await failure({ limit })).kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(sandbox.calls()).toBe(0);
  });

  test.each([1, 50, "50"])("limit %p is sent", async (limit) => {
    await search({ limit });
    expect(queryOf()["pageSize"]).toBe(String(limit));
  });

  test("a page that fails leaves what was read before it, and says where it continues", async () => {
    sandbox.fail("files.list", { kind: "short_page", items: 1 });
    sandbox.fail("files.list", { kind: "server_error" }, 4);
    const output = await search({ limit: 3 });
    expect(output).toMatchObject({
      spreadsheets_count: 1,
      pagination_token: expect.any(String),
      missing: [{ what: "the rest of the results", reason: expect.stringContaining("pagination_token") }],
    });
  });

  test("a first page that fails is an error", async () => {
    sandbox.fail("files.list", { kind: "server_error" }, 4);
    expect((await failure({ limit: 3 })).kind).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
  });
});

test("an incomplete search is reported", async () => {
  sandbox.fail("files.list", { kind: "incomplete_search" });
  expect(await search()).toMatchObject({ incomplete_search: true });
});

test("the message of a refusal is passed on", async () => {
  await using stub = new Stub().on("files", refusal(403, { message: "Sorting is not supported here." }));
  const error = await new Connection(basesOf(stub.url)).failure("SearchSpreadsheets");
  expect(error).toMatchObject({
    kind: "UPSTREAM_RUNTIME_BAD_REQUEST",
    message: "Sorting is not supported here.",
    details: { statusCode: 403 },
  });
});

test("missing fields of a file are left out", async () => {
  const owners = [
    { displayName: "A" },
    { emailAddress: "b@x" },
    {},
    { displayName: "C", emailAddress: "c@x" },
  ];
  await using stub = new Stub().on("files", { files: [{ id: "1", owners }, { name: "no id" }] });
  expect(await new Connection(basesOf(stub.url)).run("SearchSpreadsheets")).toEqual({
    spreadsheets_count: 1,
    spreadsheets: [
      {
        id: "1",
        name: "",
        url: "https://docs.google.com/spreadsheets/d/1/edit",
        owners: ["A", "b@x", "C <c@x>"],
      },
    ],
  });
});
