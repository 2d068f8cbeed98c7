// A consent that one person gives and another user gets: links opened in the browser of another person, under each check of
// the user, and an agent that confirms its own flows.
import { afterAll, describe, expect, test } from "bun:test";
import { allowed, arrived, linkedUsers, startFor, stateOf, target, toSignIn } from "../interop/oidc/consent";
import { issued } from "../interop/oidc/forge";
import { signInAs } from "../interop/oidc/sign-in";
import { startSignInSite } from "../interop/oidc/site";
import { signedInAt, startVerifiedSite } from "../interop/oidc/verifier";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { type Site, startSite } from "../support/site";
import { printFigure } from "./figure";

const FLOWS = process.env["RUNTIME_TEST_LONG"] === "1" ? 200 : 30;

let tried = 0;
let linked = 0;
afterAll(() =>
  printFigure("consent of another person", `${tried} flows in other browsers: ${linked} linked`),
);

/** The link for one user, opened by the other: each flow ends in the way that the attacker chooses. */
async function attackAll(
  site: Site,
  finish: (browser: Browser, address: string, victim: string) => Promise<unknown>,
): Promise<unknown[]> {
  const states: unknown[] = [];
  for (let index = 0; index < FLOWS; index++) {
    const [user, victim] = index % 2 === 0 ? ["alice", "bob"] : ["bob", "alice"];
    const browser = new Browser();
    const started = await startFor(site, user, { next_uri: `https://app.example/${index}` });
    const address = await toSignIn(browser, await allowed(browser, started, victim));
    // Some open the address again first, or in a new browser.
    const again = index % 3 === 1 ? await toSignIn(browser, await browser.open(started.url)) : address;
    await finish(index % 5 === 4 ? new Browser() : browser, again, victim);
    states.push((await stateOf(site, started))[0]);
  }
  tried += FLOWS;
  linked += (await linkedUsers(site)).length;
  return states;
}

describe("links opened in the browser of another person", () => {
  test("are not linked where users sign in", async () => {
    await using deployment = await startSignInSite();
    const { site, provider } = deployment;
    const states = await attackAll(site, async (browser, address, victim) =>
      arrived(browser, await signInAs(provider.url, address, victim)),
    );

    expect(await linkedUsers(site)).toEqual([]);
    expect(states).not.toContain("completed");
  }, 60_000);

  test("are not linked where the verifier confirms users", async () => {
    await using deployment = await startVerifiedSite();
    const { site, verifier } = deployment;
    const states = await attackAll(site, async (browser, address, victim) => {
      await signedInAt(verifier, browser, victim);
      return browser.open(address);
    });

    expect(await linkedUsers(site)).toEqual([]);
    expect(states).not.toContain("completed");
  }, 60_000);
});

describe("an agent that confirms its own flow", () => {
  test.each(["a run key", "a read key", "a token of the user"])(
    "with %s is 403, and nothing is linked",
    async (name) => {
      await using deployment = await startSignInSite();
      const { site, provider } = deployment;
      const admin = api(site.url, await site.key("admin"));
      await admin.put("/v1/admin/settings/session_verification", {
        verifier_url: "http://127.0.0.1:9/verify",
      });
      const started = await startFor(site, "alice");
      const address = await target(await allowed(new Browser(), started, "bob"));
      const flow_id = new URL(address).searchParams.get("flow_id");
      const credential =
        name === "a token of the user"
          ? issued(provider, site.url)
          : await site.key(name === "a run key" ? "run" : "read");
      for (const path of ["/v1/auth/confirm_user", "/api/v1/oauth/confirm_user"]) {
        const answer = await api(site.url, credential).post(path, { flow_id, user_id: "alice" });
        expect([path, answer.status, at(answer.body, "name")]).toEqual([path, 403, "forbidden"]);
      }

      expect(await stateOf(site, started)).toEqual(["pending", undefined]);
      expect(await linkedUsers(site)).toEqual([]);
      tried += 1;
    },
  );

  test("cannot use a key of another project, or one that is restricted to other users", async () => {
    await using deployment = await startVerifiedSite();
    const { site } = deployment;
    const operator = await site.runtime.identity.operator("default");
    await site.runtime.identity.createProject(operator, "other", "Other");
    const started = await startFor(site, "alice");
    const address = await target(await allowed(new Browser(), started, "bob"));
    const flow_id = new URL(address).searchParams.get("flow_id");
    const confirm = async (key: string) =>
      (await api(site.url, key).post("/v1/auth/confirm_user", { flow_id, user_id: "alice" })).status;

    expect(await confirm(await site.key("verify", undefined, "other"))).toBe(404);
    expect(await confirm(await site.key("verify", ["bob"]))).toBe(403);
    expect(await linkedUsers(site)).toEqual([]);
    tried += 2;
  });
});

test("on a public address without a check of users, no consent starts", async () => {
  await using site = await startSite({ environment: { RUNTIME_PUBLIC_URL: "https://runtime.example" } });
  await site.addChatProvider();
  const agent = api(site.url, await site.key("run"));
  const answer = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "alice" });

  expect([answer.status, at(answer.body, "name")]).toEqual([400, "invalid_parameter"]);
});
