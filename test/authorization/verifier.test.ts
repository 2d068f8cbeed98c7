// User check (b): the customer's verifier, to which the browser is redirected with a flow id.
import { describe, expect, test } from "bun:test";
import { allowed, linkedUsers, startFor, stateOf, target, titleOf } from "../interop/oidc/consent";
import { issued } from "../interop/oidc/forge";
import { startOpenIdProvider } from "../interop/oidc/provider";
import { signedInAt, startVerifiedSite, type VerifiedSite } from "../interop/oidc/verifier";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { agent } from "../tools/deployment";

const OTHER_USER = "the signed-in user is not the user of this consent";

/** alice has allowed everything at the platform: her browser is on its way to the verifier. */
async function underway({ site }: VerifiedSite, more: object = {}) {
  const browser = new Browser();
  const started = await startFor(site, "alice", more);
  const address = await target(await allowed(browser, started, "alice"));
  const flow_id = new URL(address).searchParams.get("flow_id") ?? "";
  const customer = api(site.url, await site.key("verify"));
  const confirm = (change: object = {}, client = customer) =>
    client.post("/v1/auth/confirm_user", { flow_id, user_id: "alice", ...change });
  return { site, browser, started, address, flow_id, confirm };
}

describe("the browser", () => {
  test("is sent to the verifier with flow_id as the only parameter that is added, the others as they were", async () => {
    await using deployment = await startVerifiedSite();
    const { address, flow_id } = await underway(deployment);

    expect(flow_id).toMatch(/^[\w-]{43}$/);
    expect(address).toBe(`${deployment.verifier.url}/verify?tenant=a%20b&flow_id=${flow_id}`);
  });

  test.each([
    ["", "?flow_id=ID"],
    ["?", "?flow_id=ID"],
    ["?a=1&a=2&b", "?a=1&a=2&b&flow_id=ID"],
    ["?q=%C3%A4+%2B", "?q=%C3%A4+%2B&flow_id=ID"],
    ["?flow_id=own&a=1", "?a=1&flow_id=ID"],
  ])("keeps the query %j", async (query, expected) => {
    await using deployment = await startVerifiedSite();
    await deployment.settings({ verifier_url: `${deployment.verifier.url}/verify${query}` });
    const { address, flow_id } = await underway(deployment);

    expect(address).toBe(`${deployment.verifier.url}/verify${expected.replace("ID", flow_id)}`);
  });

  test("of the right user is linked, and ends at next_uri or on our page", async () => {
    await using deployment = await startVerifiedSite();
    const { site, verifier } = deployment;
    const ends: string[] = [];
    for (const more of [{ next_uri: "https://app.example/done" }, {}]) {
      const { browser, address, started } = await underway(deployment, more);
      await signedInAt(verifier, browser, "alice");
      const next = await target(await browser.open(address));
      ends.push(next.startsWith(site.url) ? await titleOf(await browser.open(next)) : next);
      expect(await stateOf(site, started)).toEqual(["completed", undefined]);
      const { body } = await api(site.url, await site.key("admin")).get("/v1/admin/user_connections");
      const id = String(at(body, "items.0.id"));
      await api(site.url, await site.key("admin")).delete(`/v1/admin/user_connections/${id}`);
    }

    expect(ends).toEqual(["https://app.example/done", "Connected"]);
    expect(verifier.visits).toHaveLength(2);
  });

  test("of another user is not linked: the flow has failed", async () => {
    await using deployment = await startVerifiedSite();
    const { site, verifier } = deployment;
    const { browser, address, started } = await underway(deployment);
    await signedInAt(verifier, browser, "bob");
    const page = await browser.open(address);

    expect(page.status).toBe(403);
    expect(verifier.answers.map(({ status, body }) => [status, at(body, "name")])).toEqual([
      [400, "user_mismatch"],
    ]);
    expect(await stateOf(site, started)).toEqual(["failed", OTHER_USER]);
    expect(await linkedUsers(site)).toEqual([]);
  });
});

describe("confirm_user", () => {
  test("links at once, before next_uri is opened", async () => {
    await using deployment = await startVerifiedSite();
    const { site, started, confirm } = await underway(deployment, { next_uri: "https://app.example/done" });
    const before = await linkedUsers(site);
    const answer = await confirm();

    expect([answer.status, answer.body]).toEqual([
      200,
      { auth_id: started.id, next_uri: "https://app.example/done" },
    ]);
    expect([before, await linkedUsers(site)]).toEqual([[], ["alice"]]);
    const execute = { tool_name: "Chat.WhoAmI", user_id: "alice" };
    const executed = await api(site.url, await site.key("run")).post("/v1/tools/execute", execute);
    expect(at(executed.body, "output.value.username")).toBe("alice");
  });

  test("wakes requests that wait for the flow", async () => {
    await using deployment = await startVerifiedSite();
    const { site, started, confirm } = await underway(deployment);
    const waiting = api(site.url, await site.key("run")).get(`/v1/auth/status?id=${started.id}&wait=20`);
    await confirm();

    expect(at((await waiting).body, "status")).toBe("completed");
  });

  test("with the wrong user is 400 user_mismatch, ends the flow, and no second try helps", async () => {
    await using deployment = await startVerifiedSite();
    const { site, started, confirm } = await underway(deployment);
    const wrong = await confirm({ user_id: "bob" });

    expect([wrong.status, at(wrong.body, "name")]).toEqual([400, "user_mismatch"]);
    expect(wrong.text).not.toContain("alice");
    expect((await confirm()).status).toBe(404);
    expect(await stateOf(site, started)).toEqual(["failed", OTHER_USER]);
    expect(await linkedUsers(site)).toEqual([]);
  });

  test("of a flow that is unknown, used or of another project is the same 404", async () => {
    await using deployment = await startVerifiedSite();
    const { site } = deployment;
    const operator = await site.runtime.identity.operator("default");
    await site.runtime.identity.createProject(operator, "other", "Other");
    const { started, confirm } = await underway(deployment);
    const foreign = await confirm({}, api(site.url, await site.key("admin", undefined, "other")));
    const unknown = await confirm({ flow_id: "f".repeat(43) });
    const byId = await confirm({ flow_id: started.id });
    const state = await stateOf(site, started);
    await confirm();
    const used = await confirm();

    expect(state).toEqual(["pending", undefined]);
    for (const answer of [foreign, unknown, byId, used]) {
      expect([answer.status, answer.body]).toEqual([404, unknown.body]);
    }
  });

  test("of an expired flow is 404 and links nothing", async () => {
    await using deployment = await startVerifiedSite();
    const { site, started, confirm } = await underway(deployment);
    deployment.clock.move(10 * 60_000);

    expect((await confirm()).status).toBe(404);
    expect(await linkedUsers(site)).toEqual([]);
    expect((await stateOf(site, started))[0]).toBe("failed");
  });

  test("twice at once confirms once", async () => {
    await using deployment = await startVerifiedSite();
    const { site, started, flow_id } = await underway(deployment);
    // Without HTTP in between: all of them have read the flow before one of them is through.
    const confirm = () => site.runtime.consent.verifier.confirm(agent(), { flow_id, user_id: "alice" });
    const answers = await Promise.allSettled([confirm(), confirm(), confirm(), confirm()]);

    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status === "rejected")) {
      expect(answer).toMatchObject({ reason: { name: "not_found" } });
    }
    expect(await stateOf(site, started)).toEqual(["completed", undefined]);
    expect(await linkedUsers(site)).toEqual(["alice"]);
  });

  test("by a user token, or by a key that reads or runs tools, is 403 and says what to do", async () => {
    await using provider = await startOpenIdProvider();
    await using deployment = await startVerifiedSite({ RUNTIME_AUTH_URL: provider.url });
    const { site, started, confirm } = await underway(deployment);
    const alice = api(site.url, issued(provider, site.url));

    expect((await confirm({}, alice)).status).toBe(403);
    expect((await confirm({}, api(site.url, await site.key("read")))).status).toBe(403);
    const run = await confirm({}, api(site.url, await site.key("run")));
    expect([run.status, at(run.body, "message")]).toEqual([
      403,
      "This needs a key with the role admin or verify; this one has run. If your verifier uses a run key, create one for " +
        "it and replace it there: runtime keys create verifier --role verify.",
    ]);
    expect((await confirm({}, api(site.url, undefined))).status).toBe(401);
    expect(await stateOf(site, started)).toEqual(["pending", undefined]);
  });

  test("by a key that is pinned to other users is 403 and changes nothing", async () => {
    await using deployment = await startVerifiedSite();
    const { site, started, confirm } = await underway(deployment);
    const pinned = api(site.url, await site.key("verify", ["bob"]));

    expect((await confirm({}, pinned)).status).toBe(403);
    expect(await stateOf(site, started)).toEqual(["pending", undefined]);
    expect((await confirm()).status).toBe(200);
  });

  test("of a grant with fewer scopes leads to the page with the reason, not to next_uri", async () => {
    await using deployment = await startVerifiedSite();
    deployment.site.chat.denyScopes(["users:read"]);
    const { site, browser, started, confirm } = await underway(deployment, {
      next_uri: "https://app.example",
    });
    const page = await browser.open(String(at((await confirm()).body, "next_uri")));

    expect(await titleOf(page)).toBe("Not connected");
    expect(await stateOf(site, started)).toEqual(["failed", "the user did not grant users:read"]);
  });

  test("is available at its older address too", async () => {
    await using deployment = await startVerifiedSite();
    const { site, started, flow_id } = await underway(deployment);
    const customer = api(site.url, await site.key("verify"));
    const answer = await customer.post("/api/v1/oauth/confirm_user", { flow_id, user_id: "alice" });

    expect([answer.status, at(answer.body, "auth_id")]).toEqual([200, started.id]);
  });

  test.each([{ flow_id: undefined }, { user_id: undefined }, { user_id: "" }, { flow_id: 7 }])(
    "with %j is 400 and leaves the flow open",
    async (change) => {
      await using deployment = await startVerifiedSite();
      const { site, started, confirm } = await underway(deployment);

      expect((await confirm(change)).status).toBe(400);
      expect(await stateOf(site, started)).toEqual(["pending", undefined]);
    },
  );
});
