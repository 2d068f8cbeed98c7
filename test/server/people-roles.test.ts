// What people may do by their role, over HTTP with user tokens: the requests of the operation rows, as in roles.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { issued } from "../interop/oidc/forge";
import { type OpenIdProvider, startOpenIdProvider } from "../interop/oidc/provider";
import { api, at } from "../support/api";
import { type PersonColumn, ROLE_OF } from "../support/role-table";
import { columnsOf, guarded, type Row, type RowStage, send, startRowStage } from "./operation-rows";
import { connect, databaseOf, dumpWithoutRefusals, startConsent } from "./stage";

let provider: OpenIdProvider;
let stage: RowStage;
let operator: Awaited<ReturnType<RowStage["site"]["runtime"]["identity"]["operator"]>>;
beforeAll(async () => {
  provider = await startOpenIdProvider();
  stage = await startRowStage({
    environment: {
      RUNTIME_AUTH_URL: provider.address,
      RUNTIME_AUTH_CLIENT_ID: "people",
      // The consents of the stage come before.
      RUNTIME_SIGN_IN: "none",
    },
  });
  await connect(stage, "bob");
  const { identity, invitations } = stage.site.runtime;
  operator = await identity.operator("default");
  await identity.projects.update(operator, "default", { sign_in: "oidc" });
  await invitations.invite(operator, { user_id: "alice" });
}, 60_000);
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const become = (column: PersonColumn) =>
  stage.site.runtime.invitations.update(operator, { user_id: "alice", role: ROLE_OF[column] });
const token = (user = "alice"): string => issued(provider, stage.site.url, { sub: user });
const sendAsAlice = (entry: readonly [string, Row]) =>
  send(stage, entry, { authorization: `Bearer ${token()}` });

/** Its request names another user than alice. */
const OF_OTHERS = new Set(["auth-status", "auth-connections-get"]);

describe.each(["member", "approver", "auditor"] as const)("a person who is %s", (column) => {
  beforeAll(() => become(column));

  test.each(guarded.filter(([id]) => !columnsOf(id).has(column)))(
    "is refused on %s, which changes nothing",
    async (id, row) => {
      const before = dumpWithoutRefusals(databaseOf(stage.site));
      const answer = await sendAsAlice([id, row]);
      expect([answer.status, at(answer.body, "name")]).toEqual([403, "forbidden"]);
      expect(dumpWithoutRefusals(databaseOf(stage.site))).toEqual(before);
    },
  );

  test.each(guarded.filter(([id]) => columnsOf(id).has(column)))("may call %s", async (id, row) => {
    const { status } = await sendAsAlice([id, row]);
    expect(status).toBe(OF_OTHERS.has(id) && column !== "auditor" ? 400 : row.success);
  });
});

describe("a role", () => {
  test("counts from the next request on", async () => {
    const keys = async () => (await api(stage.site.url, token()).get("/v1/admin/keys")).status;
    await become("member");
    expect(await keys()).toBe(403);
    await become("administrator");
    expect(await keys()).toBe(200);
    await become("auditor");
    expect(await keys()).toBe(403);
  });

  test("is told to its person, and not that of others", async () => {
    await become("approver");
    const own = await api(stage.site.url, token()).get("/v1/caller");
    const bobs = await api(stage.site.url, token("bob")).get("/v1/caller");
    expect([at(own.body, "person"), at(bobs.body, "person")]).toEqual(["approver", "member"]);
  });

  test("does not count in another project", async () => {
    await become("administrator");
    const { identity } = stage.site.runtime;
    await identity.projects.update(operator, "other", { audience: "https://other.example", sign_in: "oidc" });
    const foreign = issued(provider, "https://other.example", { sub: "alice" });
    expect((await api(stage.site.url, foreign).get("/v1/admin/keys")).status).toBe(403);
  });
});

describe("an auditor", () => {
  beforeAll(() => become("auditor"));
  const auditor = () => api(stage.site.url, token());

  const admin = () => api(stage.site.url, stage.keys.admin);
  const runOfBob = async (): Promise<string> => {
    const later = { tool_name: "Chat.WhoAmI", user_id: "bob", run_at: "2999-01-01T00:00:00" };
    return String(at((await admin().post("/v1/tools/execute", later)).body, "id"));
  };

  test("sees the scheduled runs and connections of others", async () => {
    const id = await runOfBob();
    const listed = await auditor().get("/v1/scheduled_tools");
    expect(listed.text).toContain(id);
    expect((await auditor().get(`/v1/scheduled_tools/${id}`)).status).toBe(200);
    expect((await auditor().get("/v1/admin/user_connections?user_id=bob")).status).toBe(200);
  });

  test("sees the status of another person's consent without its address", async () => {
    const { id, url } = await startConsent(stage, { user_id: "carol" });
    const [seen, own] = await Promise.all(
      [auditor(), admin()].map((client) => client.get(`/v1/auth/status?id=${id}`)),
    );

    expect([at(seen?.body, "status"), at(seen?.body, "url")]).toEqual(["pending", undefined]);
    expect(at(own?.body, "url")).toBe(url);
  });

  test("cannot end the scheduled run of another person", async () => {
    const id = await runOfBob();
    expect((await auditor().post(`/v1/scheduled_tools/${id}/cancel`, {})).status).toBe(404);
    const { body } = await admin().get(`/v1/scheduled_tools/${id}`);
    expect(at(body, "execution_status")).toBe("pending");
  });
});
