// The sign-in window and the picker's frame: refusals, and grants of picked files.
import { describe, expect, test } from "bun:test";
import { type SheetsSandbox, startSheetsSandbox } from "..";
import { callerOf, DRIVE_FILE, EMAIL } from "../test-client";
import { API_SCRIPT, IDENTITY_SCRIPT } from "../../../../catalogs/sandbox/sheets/picker/scripts";

const ORIGIN = "http://127.0.0.1:9";
const SPREADSHEET = "application/vnd.google-apps.spreadsheet";

type Overrides = Readonly<Record<string, string>>;

function query(sandbox: SheetsSandbox, overrides: Overrides = {}): URLSearchParams {
  return new URLSearchParams({
    app_id: "123456789012",
    token: sandbox.issueToken("alice", [DRIVE_FILE]).accessToken,
    origin: ORIGIN,
    views: JSON.stringify([{ mimeTypes: SPREADSHEET, drives: false }]),
    features: "",
    ...overrides,
  });
}

const show = (sandbox: SheetsSandbox, overrides?: Overrides): Promise<Response> =>
  fetch(`${sandbox.url}/picker?${query(sandbox, overrides)}`);

async function pick(sandbox: SheetsSandbox, ids: readonly string[], overrides?: Overrides): Promise<string> {
  const body = query(sandbox, overrides);
  for (const id of ids) body.append("pick", id);
  body.set("do", "select");
  return (await fetch(`${sandbox.url}/picker`, { method: "POST", body })).text();
}

describe("the picker", () => {
  test("shows the person's files of the view's type, and grants the picked one to the project", async () => {
    await using sandbox = await startSheetsSandbox();
    const id = sandbox.addFile({ title: "Budget", opened: false });
    sandbox.addFile({ title: "Photo", opened: false, mimeType: "image/png" });
    sandbox.addFile({ title: "Bob's", owner: "bob", opened: false });
    sandbox.addFile({ title: "Team", opened: false, driveId: sandbox.addDrive(["alice"]) });
    const html = await (await show(sandbox)).text();
    expect(html).toContain("Budget");
    expect(html).not.toMatch(/Photo|Bob's|Team/);

    const read = () => callerOf(sandbox)("GET", `/v4/spreadsheets/${id}`);
    expect((await read()).status).toBe(404);
    const answer = await pick(sandbox, [id]);
    expect(answer).toContain("parent.postMessage");
    expect(answer).toContain("&quot;picked&quot;");
    expect((await read()).status).toBe(200);
  });

  test("accepts several files only if the page requested it", async () => {
    await using sandbox = await startSheetsSandbox();
    const ids = [1, 2].map(() => sandbox.addFile({ opened: false }));
    expect(await pick(sandbox, ids)).toContain("&quot;cancel&quot;");
    expect(await pick(sandbox, ids, { features: "multiselectEnabled" })).toContain("&quot;picked&quot;");
  });

  test("grants no file that it did not show", async () => {
    await using sandbox = await startSheetsSandbox();
    const foreign = sandbox.addFile({ owner: "bob", opened: false });
    expect(await pick(sandbox, [foreign])).toContain("&quot;cancel&quot;");
  });

  test.each<[string, (sandbox: SheetsSandbox) => Overrides]>([
    ["no token", () => ({ token: "" })],
    ["an invalid token", () => ({ token: "ya29.nonsense" })],
    [
      "a token with more scopes",
      (sandbox) => ({ token: sandbox.issueToken("alice", [DRIVE_FILE, EMAIL]).accessToken }),
    ],
    ["no project", () => ({ app_id: "" })],
    ["another project", () => ({ app_id: "123456789013" })],
    ["no origin", () => ({ origin: "" })],
    ["an origin with a path", () => ({ origin: `${ORIGIN}/x` })],
    ["an origin without encryption", () => ({ origin: "http://app.example" })],
  ])("is refused for %s", async (_what, overrides) => {
    await using sandbox = await startSheetsSandbox();
    sandbox.addFile({ title: "Budget", opened: false });
    const answer = await show(sandbox, overrides(sandbox));
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toContain("Budget");
  });
});

describe("the sign-in window", () => {
  const fields = (sandbox: SheetsSandbox, overrides: Overrides = {}) =>
    new URLSearchParams({ client_id: sandbox.clientId, scope: DRIVE_FILE, origin: ORIGIN, ...overrides });
  const decide = async (sandbox: SheetsSandbox, overrides?: Overrides): Promise<string> =>
    (await fetch(`${sandbox.url}/gsi/select`, { method: "POST", body: fields(sandbox, overrides) })).text();

  test("sends its opener a token or a refusal", async () => {
    await using sandbox = await startSheetsSandbox();
    expect(await (await fetch(`${sandbox.url}/gsi/select?${fields(sandbox)}`)).text()).toContain(
      "Continue as alice",
    );
    expect(await decide(sandbox, { user: "alice" })).toContain("ya29.");
    expect(await decide(sandbox, { user: "cancel" })).toContain("access_denied");
    sandbox.denyScopes([DRIVE_FILE]);
    expect(await decide(sandbox, { user: "alice" })).toContain("access_denied");
  });

  test("adds earlier scopes by default", async () => {
    await using sandbox = await startSheetsSandbox();
    sandbox.issueToken("alice", [EMAIL]);
    expect(await decide(sandbox, { user: "alice", include_granted_scopes: "true" })).toContain(EMAIL);
    expect(await decide(sandbox, { user: "alice", include_granted_scopes: "false" })).not.toContain(EMAIL);
  });

  test.each<[string, Overrides]>([
    ["an unknown client", { client_id: "1" }],
    ["an unknown scope", { scope: "drive.file" }],
    ["no scope", { scope: "" }],
    ["no site", { origin: "null" }],
  ])("refuses %s", async (_what, overrides) => {
    await using sandbox = await startSheetsSandbox();
    expect((await fetch(`${sandbox.url}/gsi/select?${fields(sandbox, overrides)}`)).status).toBe(400);
  });
});

test.each([
  ["api", API_SCRIPT],
  ["identity", IDENTITY_SCRIPT],
])("the %s script is a script", (_name, text) => {
  expect(() => new Bun.Transpiler({ loader: "js" }).scan(text)).not.toThrow();
});
