// The file interface: visible files, the search language, orders, pages, corpora.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from "..";
import { record, records, text } from "../../../../catalogs/sandbox/chat/json";
import { type Answer, callerOf, DRIVE, DRIVE_READONLY, EMAIL, messageOf, type Call } from "../test-client";

let sandbox: SheetsSandbox;
let alice: Call;
let team = "";
const at = (day: number): number => Date.parse(`2026-01-${String(day).padStart(2, "0")}T00:00:00Z`);

beforeAll(async () => {
  sandbox = await startSheetsSandbox();
  alice = callerOf(sandbox);
  sandbox.addFile({ title: "Budget2026", createdAt: at(1), modifiedAt: at(9) });
  sandbox.addFile({ title: "Budget 2025: plan", createdAt: at(2), modifiedAt: at(8), starred: true });
  sandbox.addFile({ title: "Item 12", createdAt: at(3), modifiedAt: at(3) });
  sandbox.addFile({ title: "item 2", createdAt: at(4), modifiedAt: at(7) });
  sandbox.addFile({ title: "Old", trashed: true, createdAt: at(5) });
  sandbox.addFile({ title: "Unopened", opened: false, createdAt: at(6) });
  sandbox.addFile({ title: "Letter", mimeType: "application/vnd.google-apps.document", createdAt: at(7) });
  sandbox.addFile({ title: "Bob's", owner: "bob", domainShared: true, createdAt: at(8) });
  team = sandbox.addDrive(["alice", "bob"]);
  sandbox.open(sandbox.addFile({ title: "Team", driveId: team, createdAt: at(9) }), "alice");
});
afterAll(() => sandbox.stop());

const list = (query: Record<string, string>, call = alice): Promise<Answer> =>
  call("GET", `/drive/v3/files?${new URLSearchParams(query)}`);
const names = async (query: Record<string, string>, call = alice): Promise<string[]> =>
  records((await list(query, call)).body, "files").map((file) => text(file, "name"));
const LIVE = "trashed = false";

describe("visible files", () => {
  test("with single files, only those created or opened with the application", async () => {
    expect(await names({ q: LIVE })).not.toContain("Unopened");
    expect(await names({ q: LIVE }, callerOf(sandbox, "alice", undefined, "99-other"))).toEqual([]);
  });

  test("with a wider scope every file of the person", async () => {
    for (const scope of [DRIVE, DRIVE_READONLY]) {
      expect(await names({ q: LIVE }, callerOf(sandbox, "alice", [scope]))).toContain("Unopened");
    }
  });

  test("files of others are visible only if they are shared", async () => {
    expect(await names({ q: LIVE }, callerOf(sandbox, "carol", [DRIVE]))).toEqual([]);
  });

  test("a token without any of the scopes is refused", async () => {
    const answer = await list({}, callerOf(sandbox, "alice", [EMAIL]));
    expect(answer).toMatchObject({
      status: 403,
      body: {
        error: {
          errors: [{ reason: "insufficientPermissions" }],
          details: [{ reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT" }],
        },
      },
    });
  });
});

describe("searching", () => {
  test.each<[string, string[]]>([
    ["name contains 'budget'", ["Budget2026", "Budget 2025: plan"]],
    ["name contains '2026'", []],
    ["name contains 'plan 2025'", ["Budget 2025: plan"]],
    ["name contains 'budget' and not name contains 'plan'", ["Budget2026"]],
    ["name = 'Item 12' or name = 'item 2'", ["Item 12", "item 2"]],
    ["not (name contains 'budget' or name contains 'item')", ["Letter"]],
    ["mimeType = 'application/vnd.google-apps.document'", ["Letter"]],
    ["trashed = true", ["Old"]],
    ["starred = true", ["Budget 2025: plan"]],
    ["modifiedTime > '2026-01-08T12:00:00Z'", ["Budget2026"]],
    [String.raw`name contains 'Bob\'s'`, []],
    ["'alice@mail.example' in owners and name contains 'Let'", ["Letter"]],
  ])("%s", async (q, expected) => {
    const trash = q.includes("trashed") ? q : `${LIVE} and (${q})`;
    expect(await names({ q: trash })).toEqual(expected);
  });

  test("quotes and backslashes are escaped", async () => {
    await using other = await startSheetsSandbox();
    const title = String.raw`it's a \ sign`;
    other.addFile({ title });
    const call = callerOf(other);
    expect(await names({ q: String.raw`name contains 'it\'s a \\ sign'` }, call)).toEqual([title]);
  });

  test.each([
    "name contains budget",
    "name contains 'it's'",
    String.raw`name contains 'a\b'`,
    "title contains 'x'",
    "name > 'x'",
    "trashed = maybe",
    "name contains 'x' and",
    "(name contains 'x'",
    "name contains 'x' name contains 'y'",
    "fullText = 'x'",
  ])("refuses %s", async (q) => {
    expect(await list({ q })).toMatchObject({
      status: 400,
      body: { error: { errors: [{ location: "q" }] } },
    });
  });

  test("a search of contents accepts no order", async () => {
    expect(await names({ q: "fullText contains 'Sheet1' and name contains 'budget'" })).toHaveLength(2);
    const answer = await list({ q: "fullText contains 'x'", orderBy: "name" });
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toContain("Sorting is not supported");
  });
});

describe("orders", () => {
  const q = `${LIVE} and (name contains 'item' or name contains 'budget')`;
  test.each<[string, string[]]>([
    ["createdTime", ["Budget2026", "Budget 2025: plan", "Item 12", "item 2"]],
    ["createdTime desc", ["item 2", "Item 12", "Budget 2025: plan", "Budget2026"]],
    ["modifiedTime desc", ["Budget2026", "Budget 2025: plan", "item 2", "Item 12"]],
    ["name", ["Budget 2025: plan", "Budget2026", "Item 12", "item 2"]],
    ["name_natural", ["Budget 2025: plan", "Budget2026", "item 2", "Item 12"]],
    ["starred desc,createdTime desc", ["Budget 2025: plan", "item 2", "Item 12", "Budget2026"]],
  ])("%s", async (orderBy, expected) => {
    expect(await names({ q, orderBy })).toEqual(expected);
  });

  test.each(["size", "name asc", "name,", "modifiedTime  desc"])("refuses %p", async (orderBy) => {
    expect((await list({ orderBy })).status).toBe(400);
  });
});

describe("pages", () => {
  const query = { q: LIVE, orderBy: "createdTime", pageSize: "2" };
  const fields = "nextPageToken,files(name)";

  test("continue where the previous one ended, also with another size", async () => {
    const first = await list({ ...query, fields });
    const pageToken = text(first.body, "nextPageToken");
    expect(await names({ ...query, fields, pageSize: "3", pageToken })).toEqual([
      "Item 12",
      "item 2",
      "Letter",
    ]);
  });

  test("an unknown token or one of another search is refused", async () => {
    const pageToken = text((await list({ ...query, fields })).body, "nextPageToken");
    for (const bad of [{ pageToken, q: "trashed = true" }, { pageToken: "nonsense" }]) {
      expect(await list({ ...query, ...bad })).toMatchObject({
        status: 400,
        body: { error: { errors: [{ location: "pageToken", reason: "invalid" }] } },
      });
    }
  });

  test.each(["0", "1001", "x"])("a page size of %s is refused", async (pageSize) => {
    expect((await list({ pageSize })).status).toBe(400);
  });

  test("may be short or incomplete", async () => {
    sandbox.fail("files.list", { kind: "short_page", items: 0 });
    const empty = await list(query);
    expect(records(empty.body, "files")).toEqual([]);
    expect(text(empty.body, "nextPageToken")).not.toBe("");
    sandbox.fail("files.list", { kind: "incomplete_search" });
    expect((await list(query)).body).toMatchObject({ incompleteSearch: true });
  });
});

describe("corpora", () => {
  const all = { includeItemsFromAllDrives: "true", supportsAllDrives: "true" };
  test("are the person's own files by default", async () => {
    expect(await names({ q: LIVE })).not.toContain("Team");
  });

  test("shared drives, one of them, the organization", async () => {
    expect(await names({ corpora: "allDrives", ...all })).toContain("Team");
    expect(await names({ corpora: "drive", driveId: team, ...all })).toEqual(["Team"]);
    expect(await names({ corpora: "domain", ...all }, callerOf(sandbox, "bob"))).toEqual(["Bob's"]);
  });

  test.each<[string, Record<string, string>]>([
    ["all drives without the flags", { corpora: "allDrives" }],
    ["with one flag", { corpora: "allDrives", supportsAllDrives: "true" }],
    ["one drive without its id", { corpora: "drive", ...all }],
    ["an id without the corpus", { driveId: "x", ...all }],
    ["an unknown corpus", { corpora: "everything", ...all }],
  ])("refuses %s", async (_, query) => {
    expect((await list(query)).status).toBe(400);
  });

  test("a drive that is not the person's is not found", async () => {
    const answer = await list({ corpora: "drive", driveId: team, ...all }, callerOf(sandbox, "carol"));
    expect(answer.status).toBe(404);
    expect(messageOf(answer)).toBe(`Shared drive not found: ${team}`);
  });
});

describe("about", () => {
  const FIELDS = "fields=user(displayName,emailAddress),storageQuota(limit,usage),canCreateDrives";

  test("needs a mask", async () => {
    expect(await alice("GET", "/drive/v3/about")).toMatchObject({
      status: 400,
      body: { error: { errors: [{ reason: "required", location: "fields" }] } },
    });
  });

  test("returns the user and the storage, with bytes as text", async () => {
    expect((await alice("GET", `/drive/v3/about?${FIELDS}`)).body).toEqual({
      user: { displayName: "Alice Example", emailAddress: "alice@mail.example" },
      storageQuota: { limit: "16106127360", usage: expect.stringMatching(/^\d+$/) },
    });
  });

  test("returns no limit for unlimited storage", async () => {
    const { body } = await callerOf(sandbox, "bob")("GET", `/drive/v3/about?${FIELDS}`);
    expect(record(body, "storageQuota")).not.toHaveProperty("limit");
    expect(body).toMatchObject({ canCreateDrives: true });
  });
});
