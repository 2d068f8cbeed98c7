// Requests of a signed-in person for the records of another one, or of a user with the same id in another project: every action
// of the page with every foreign id, and every list that an address can ask for. Administrators see and end only their own too.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { api, at } from "../support/api";
import {
  addPasskey,
  allowClient,
  invite,
  linkAccount,
  PEOPLE,
  type PersonBrowser,
  signInBrowser,
} from "../server/person";
import { databaseOf, dump, type Stage, startStage } from "../server/stage";
import { printFigure } from "./figure";

const ACTIONS = ["disconnect", "revoke", "sign_out", "cancel", "rename_passkey", "remove_passkey"];
const LISTS = ["connections", "clients", "sessions", "scheduled"];
const ROUNDS = 3;

let stage: Stage;
/** Ids of records of bob, and of alice in another project. */
const foreign: string[] = [];
/** What an answer must not contain. */
const marks: string[] = [];
const askers: [who: string, browser: PersonBrowser][] = [];
let tried = 0;
let shown = 0;
let ended = 0;

beforeAll(async () => {
  stage = await startStage({ environment: PEOPLE });
  const { site } = stage;
  await site.addChatProvider("other");
  await addRecords("bob", "default");
  await addRecords("alice", "other");
  await invite(site, { userId: "root", role: "admin" });
  await invite(site, { userId: "reviewer", role: "auditor" });
  for (const user of ["alice", "root", "reviewer"]) askers.push([user, await signInBrowser(site, user)]);
}, 30_000);
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  printFigure("records of another person at /me", `${tried} requests: ${shown} shown, ${ended} ended`);
});

/** One record of each kind. */
async function addRecords(user: string, project: string): Promise<void> {
  const { site } = stage;
  const agent = api(site.url, await site.key("admin", undefined, project));
  const connection = await linkAccount(site, user, project);
  const whoAmI = { tool_name: "Chat.WhoAmI", user_id: user };
  const later = await agent.post("/v1/tools/execute", { ...whoAmI, run_at: "2999-01-01T00:00:00" });
  await agent.post("/v1/tools/execute", whoAmI);
  const execution = String(at((await agent.get("/v1/admin/executions")).body, "items.0.id"));
  const name = `Client of ${user} in ${project}`;
  const client = await allowClient(site, { userId: user, projectId: project, name });
  const { sessionId } = await signInBrowser(site, user, project);
  const passkey = await addPasskey(site, user, `Passkey of ${user} in ${project}`, project);
  const ids = [connection, passkey, client, sessionId, String(at(later.body, "id")), execution];
  foreign.push(...ids);
  marks.push(name, ...ids);
}

/** The rows of the others. */
function others(): unknown[] {
  const isForeign = (row: unknown) => at(row, "user_id") === "bob" || at(row, "project_id") === "other";
  const tables = dump(databaseOf(stage.site));
  return ["connections", "client_grants", "browser_sessions", "scheduled_runs", "passkeys"].map((name) =>
    (tables[name] ?? []).filter(isForeign),
  );
}

async function asked(sent: Promise<Response>): Promise<[number, string | null]> {
  const response = await sent;
  const location = response.headers.get("location");
  const text = `${location} ${await response.text()}`;
  tried += 1;
  if (marks.some((mark) => text.includes(mark))) shown += 1;
  return [response.status, location];
}

test("no action ends or shows one, and each answers as for an unknown id", async () => {
  const before = others();
  expect(before.every((rows) => Array.isArray(rows) && rows.length >= 2)).toBe(true);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [who, browser] of askers)
      for (const id of foreign)
        for (const action of ACTIONS)
          for (const sure of ["yes", "no"]) {
            const fields = { action, id, sure, name: "mine", user_id: "bob", project: "other" };
            expect([who, action, ...(await asked(browser.send(fields)))]).toEqual([
              who,
              action,
              303,
              "/me?done=unknown",
            ]);
          }
  const after = others();
  ended += JSON.stringify(after) === JSON.stringify(before) ? 0 : 1;
  expect(after).toEqual(before);
  expect([shown, ended]).toEqual([0, 0]);
}, 60_000);

test("no address shows one", async () => {
  for (const [, browser] of askers) {
    for (const id of foreign) {
      const paths = [`/me?before=${id}`, `/me?all=${id}`, `/me?done=${id}`, `/me?user_id=bob&id=${id}`];
      for (const path of paths) expect((await asked(browser.open(path)))[0]).toBe(200);
    }
    // Runs have no id on the page.
    expect(await (await browser.open("/me")).text()).toContain("No tool has run for you.");
    for (const list of LISTS) expect((await asked(browser.open(`/me?all=${list}`)))[0]).toBe(200);
    expect((await asked(browser.open("/me/other")))[0]).toBe(303);
  }
  expect([shown, ended]).toEqual([0, 0]);
});

test("a run of another person is as unknown as any other", async () => {
  const { site, keys } = stage;
  await linkAccount(site, "carol");
  // After those of the others: before one of theirs there would be none.
  await api(site.url, keys.run).post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: "carol" });
  const browser = await signInBrowser(site, "carol");
  const page = async (path: string) => (await (await browser.open(path)).text()).split('id="runs"')[1];
  const unknown = await page("/me?before=ex_unknown");
  expect(unknown).toContain("Chat.WhoAmI");
  for (const id of foreign) expect(await page(`/me?before=${id}`)).toBe(unknown);
});

test("a session of another project has no effect here", async () => {
  const elsewhere = await signInBrowser(stage.site, "alice", "other");
  const before = others();
  for (const action of [...ACTIONS, "sign_out_elsewhere"]) {
    const sent = elsewhere.send({ action, id: foreign[0] ?? "", sure: "yes" }, { path: "/me" });
    expect((await asked(sent))[1]).toStartWith("/sign-in?");
  }
  expect(others()).toEqual(before);
});

test("the owner sees all of them, so that the tests above can fail", async () => {
  const bob = await signInBrowser(stage.site, "bob");
  const html = await (await bob.open("/me")).text();
  expect(marks.filter((mark) => html.includes(mark)).length).toBeGreaterThanOrEqual(6);
});
