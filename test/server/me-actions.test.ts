// What the forms of a person's page end, that ending asks first, and which forms are refused.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../connections/executing";
import { api, at } from "../support/api";
import type { Site } from "../support/site";
import { addPasskey, allowClient, linkAccount, PEOPLE, signInBrowser } from "./person";
import { databaseOf, dumpWithoutRefusals, type Stage, startStage } from "./stage";

let stage: Stage;
let site: Site;
beforeAll(async () => {
  stage = await startStage({ environment: PEOPLE });
  ({ site } = stage);
});
afterAll(() => stage[Symbol.asyncDispose]());

let number = 0;
/** A new person, signed in. */
const somebody = async () => {
  number += 1;
  const user = `person${number}`;
  return { user, browser: await signInBrowser(site, user) };
};
const agent = () => api(site.url, stage.keys.admin);
const locationOf = ({ status, headers }: Response) => [status, headers.get("location")];
const connectionsOf = async (user: string) =>
  at((await agent().get(`/v1/admin/user_connections?user_id=${user}`)).body, "total_count");
const audited = async (action: string) =>
  at((await agent().get(`/v1/admin/audit?action=${action}`)).body, "items.0");

describe("disconnecting", () => {
  test("asks first, then deletes the connection and revokes the grant at the provider", async () => {
    const { user, browser } = await somebody();
    const id = await linkAccount(site, user);
    site.chat.clearRequests();

    const asked = await browser.send({ action: "disconnect", id });
    const html = await asked.text();
    expect(asked.status).toBe(200);
    expect(html).toContain("<h1>Disconnect Team chat (sandbox)?</h1>");
    expect(html).toContain('<button class="main">Yes, disconnect Team chat (sandbox)</button>');
    expect(html).toContain('<a class="button" href="/me">No, keep it</a>');
    expect(await connectionsOf(user)).toBe(1);

    const done = await browser.send({ action: "disconnect", id, sure: "yes" });
    expect(locationOf(done)).toEqual([303, "/me?done=disconnected"]);
    expect(await connectionsOf(user)).toBe(0);
    expect(site.chat.calls("auth.revoke")).toBe(1);
    expect(await audited("connection.delete")).toMatchObject({ actor: `user:${user}`, target: id });
  });

  test("twice says that there is nothing more to end", async () => {
    const { user, browser } = await somebody();
    const id = await linkAccount(site, user);
    await browser.send({ action: "disconnect", id, sure: "yes" });
    for (const sure of ["yes", "no"])
      expect(locationOf(await browser.send({ action: "disconnect", id, sure }))).toEqual([
        303,
        "/me?done=unknown",
      ]);
  });
});

describe("revoking a client", () => {
  test("asks first, then removes what it was allowed", async () => {
    const { user, browser } = await somebody();
    const id = await allowClient(site, { userId: user, name: "Desk" });
    const other = await allowClient(site, { userId: user, name: "Phone" });

    expect(await (await browser.send({ action: "revoke", id })).text()).toContain("<h1>Revoke Desk?</h1>");
    expect(await (await browser.open("/me")).text()).toContain("Revoke Desk");
    expect(locationOf(await browser.send({ action: "revoke", id, sure: "yes" }))).toEqual([
      303,
      "/me?done=revoked",
    ]);
    const html = await (await browser.open("/me")).text();
    expect(html).not.toContain(id);
    expect(html).toContain(other);
    expect(await audited("client.revoke")).toMatchObject({
      actor: `user:${user}`,
      target: id,
      details: { user, client: "client-Desk" },
    });
  });
});

describe("signing out", () => {
  test("of another browser ends its session at once", async () => {
    const { user, browser } = await somebody();
    const other = await signInBrowser(site, user);
    const done = await browser.send({ action: "sign_out", id: other.sessionId });
    expect(locationOf(done)).toEqual([303, "/me?done=session_ended"]);
    expect((await other.open("/me")).status).toBe(303);
    expect((await browser.open("/me")).status).toBe(200);
  });

  test("everywhere else keeps this browser, other people and other projects", async () => {
    const { user, browser } = await somebody();
    const [other, stranger, elsewhere] = [
      await signInBrowser(site, user),
      await signInBrowser(site, "stranger"),
      await signInBrowser(site, user, "other"),
    ];
    const done = await browser.send({ action: "sign_out_elsewhere" });
    expect(locationOf(done)).toEqual([303, "/me?done=others_ended"]);
    expect((await other.open("/me")).status).toBe(303);
    for (const [kept, path] of [
      [browser, "/me"],
      [stranger, "/me"],
      [elsewhere, "/me/other"],
    ] as const)
      expect((await kept.open(path)).status).toBe(200);
  });

  test("of this browser ends its session and removes its cookie", async () => {
    const { browser } = await somebody();
    const html = await (await browser.open("/me")).text();
    const form = /<form method="post" action="(\/sign-out)">(.*?)<\/form>/.exec(html);
    expect(form?.[2]).toContain("<button>Sign out of this browser</button>");
    const done = await browser.send({ project: "default", to: "/me" }, { path: form?.[1] ?? "" });
    expect(await done.text()).toContain("<h1>You are signed out</h1>");
    expect(done.headers.get("set-cookie")).toMatch(/^runtime_session_default=; .*Max-Age=0/);
    expect((await browser.open("/me")).status).toBe(303);
  });
});

describe("cancelling a scheduled run", () => {
  const schedule = async (user_id: string, run_at: string): Promise<string> => {
    const later = { tool_name: "Chat.WhoAmI", user_id, run_at };
    return String(at((await agent().post("/v1/tools/execute", later)).body, "id"));
  };

  test("cancels one that waits", async () => {
    const { user, browser } = await somebody();
    await linkAccount(site, user);
    const id = await schedule(user, "2999-01-01T00:00:00");
    expect(locationOf(await browser.send({ action: "cancel", id }))).toEqual([303, "/me?done=cancelled"]);
    const run = await agent().get(`/v1/scheduled_tools/${id}`);
    expect(at(run.body, "execution_status")).toBe("cancelled");
    expect(await (await browser.open("/me")).text()).toContain("Nothing is scheduled.");
  });

  test("says that it is too late for one that has ended", async () => {
    const { user, browser } = await somebody();
    await linkAccount(site, user);
    const id = await schedule(user, "2020-01-01T00:00:00");
    await until(
      async () => at((await agent().get(`/v1/scheduled_tools/${id}`)).body, "finished_at") !== undefined,
    );
    expect(locationOf(await browser.send({ action: "cancel", id }))).toEqual([303, "/me?done=begun"]);
  }, 30_000);
});

describe("passkeys", () => {
  test("are renamed, and removed after a question that says what the last one means", async () => {
    const { user, browser } = await somebody();
    const [one, two] = [await addPasskey(site, user, "Laptop"), await addPasskey(site, user, "Key ring")];
    const named = await browser.send({ action: "rename_passkey", id: one, name: "  Old <laptop> " });
    expect(locationOf(named)).toEqual([303, "/me?done=passkey_renamed"]);
    expect(await (await browser.open("/me")).text()).toContain("<h3>Old &lt;laptop&gt;</h3>");

    const first = await (await browser.send({ action: "remove_passkey", id: one })).text();
    expect(first).toContain("<h1>Remove Old &lt;laptop&gt;?</h1>");
    expect(first).not.toContain("last one");
    const removed = await browser.send({ action: "remove_passkey", id: one, sure: "yes" });
    expect(locationOf(removed)).toEqual([303, "/me?done=passkey_removed"]);
    const last = await (await browser.send({ action: "remove_passkey", id: two })).text();
    expect(last).toContain("It is your last one");
    expect(await (await browser.open("/me")).text()).toContain('href="/sign-in/passkey/new?project=default"');
  });

  test.each(["", "   ", "x".repeat(101), "a\u0000b", "a\u202Eb"])("cannot be called %p", async (name) => {
    const { user, browser } = await somebody();
    const id = await addPasskey(site, user, "Laptop");
    expect(locationOf(await browser.send({ action: "rename_passkey", id, name }))).toEqual([
      303,
      "/me?done=bad_name",
    ]);
    expect(await (await browser.open("/me")).text()).toContain("<h3>Laptop</h3>");
  });
});

describe("a form is refused", () => {
  test.each([
    ["without a token", { token: "" }, {}],
    ["with a made-up token", { token: "0".repeat(64) }, {}],
    ["from another site", {}, { origin: "https://evil.example" }],
  ])("%s, and nothing ends", async (_name, fields, options) => {
    const { user, browser } = await somebody();
    const other = await signInBrowser(site, user);
    const answer = await browser.send({ action: "sign_out", id: other.sessionId, ...fields }, options);
    expect(answer.status).toBe(403);
    expect(answer.headers.get("content-type")).toContain("text/html");
    expect((await other.open("/me")).status).toBe(200);
  });

  test("with the token of another browser of the same person", async () => {
    const { user, browser } = await somebody();
    const other = await signInBrowser(site, user);
    const html = await (await other.open("/me")).text();
    const token = /name="token" value="(\w+)"/.exec(html)?.[1] ?? "";
    expect(token).toHaveLength(64);
    expect((await browser.send({ action: "sign_out_elsewhere", token })).status).toBe(403);
  });

  test.each(["", "delete_everything", "constructor", "__proto__"])("with the action %p", async (action) => {
    const { browser } = await somebody();
    expect((await browser.send({ action })).status).toBe(400);
  });

  test("when the session ends while the form is on its way", async () => {
    const { user, browser } = await somebody();
    const other = await signInBrowser(site, user);
    const html = await (await browser.open("/me")).text();
    const token = /name="token" value="(\w+)"/.exec(html)?.[1] ?? "";
    const body = new ReadableStream({
      start: async (controller) => {
        controller.enqueue(`token=${token}&action=sign_out`);
        await until(() => (site.runtime.core.work.pendingRequests?.() ?? 0) > 0);
        await site.runtime.sessions.end("default", user, browser.sessionId);
        controller.enqueue(`&id=${other.sessionId}`);
        controller.close();
      },
    });
    const headers = { cookie: browser.cookie, "content-type": "application/x-www-form-urlencoded" };
    const answer = await fetch(`${site.url}/me`, { method: "POST", redirect: "manual", headers, body });
    expect(locationOf(answer)).toEqual([303, "/sign-in?project=default&to=%2Fme"]);
    expect((await other.open("/me")).status).toBe(200);
  });

  test("when it is too large", async () => {
    const { browser } = await somebody();
    expect((await browser.send({ action: "sign_out_elsewhere", padding: "x".repeat(10_000) })).status).toBe(
      413,
    );
  });
});

test.each(["", "../x", "a b", "%00", "x".repeat(300)])(
  "an id like %p is unknown and changes nothing",
  async (id) => {
    const { browser } = await somebody();
    const before = dumpWithoutRefusals(databaseOf(site));
    for (const action of ["disconnect", "revoke", "sign_out", "cancel", "remove_passkey"])
      expect(locationOf(await browser.send({ action, id, sure: "yes" }))).toEqual([303, "/me?done=unknown"]);
    expect(dumpWithoutRefusals(databaseOf(site))).toEqual(before);
  },
);
