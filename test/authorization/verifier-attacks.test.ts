// Attacks on user check (b), tests of a verifier, and no user check.
import { describe, expect, test } from "bun:test";
import { allowed, linkedUsers, startFor, stateOf, target, titleOf } from "../interop/oidc/consent";
import { issued } from "../interop/oidc/forge";
import { startOpenIdProvider } from "../interop/oidc/provider";
import { signedInAt, startVerifiedSite } from "../interop/oidc/verifier";
import { api, at } from "../support/api";
import { Browser, offersConfirmation } from "../support/browser";
import { startSite } from "../support/site";
import { operator } from "../tools/deployment";
import { about, consenting, start, status } from "./consenting";
import { Person } from "./person";

const FLOWS = process.env["RUNTIME_TEST_LONG"] === "1" ? 500 : 100;

describe("the verifier cannot be bypassed", () => {
  test("by opening our address again, which redirects to the verifier again", async () => {
    await using deployment = await startVerifiedSite();
    const { site, verifier } = deployment;
    const browser = await signedInAt(verifier, new Browser(), "alice");
    const started = await startFor(site, "alice");
    const before = await target(await allowed(browser, started, "alice"));
    const again = await browser.open(started.url);

    expect(await offersConfirmation(again)).toBe(false);
    expect(await linkedUsers(site)).toEqual([]);
    const after = await target(again);
    expect([new URL(after).pathname, after === before]).toEqual(["/verify", false]);
    expect((await browser.open(before)).status).toBe(403);
    await browser.open(after);
    expect(await stateOf(site, started)).toEqual(["completed", undefined]);
  });

  test("by repeating the provider's callback, one by one or at once", async () => {
    await using deployment = await startVerifiedSite();
    const { site } = deployment;
    const browser = new Browser();
    const started = await startFor(site, "alice");
    const callback = await browser.toCallback(started.url, "bob");
    const pages = await Promise.all(Array.from({ length: 5 }, () => browser.open(callback)));
    pages.push(await browser.open(callback));

    for (const page of pages) expect(await offersConfirmation(page)).toBe(false);
    expect(await linkedUsers(site)).toEqual([]);
    expect(await stateOf(site, started)).toEqual(["pending", undefined]);
  });

  test("in another browser", async () => {
    await using deployment = await startVerifiedSite();
    const { site } = deployment;
    const started = await startFor(site, "alice");
    await allowed(new Browser(), started, "bob");
    const other = new Browser();
    const page = await other.open(started.url);

    expect(await offersConfirmation(page)).toBe(false);
    expect(page.status).toBe(400);
    expect(await linkedUsers(site)).toEqual([]);
  });
});

test(`of ${FLOWS} flows opened in another person's browser none is linked`, async () => {
  await using deployment = await startVerifiedSite();
  const { site, verifier } = deployment;

  const attack = async (index: number): Promise<unknown> => {
    const [user, victim] = index % 2 === 0 ? ["alice", "bob"] : ["bob", "alice"];
    const browser = await signedInAt(verifier, new Browser(), victim);
    // Another address each time: pending flows of the same wish share one.
    const started = await startFor(site, user, { next_uri: `https://app.example/${index}` });
    const callback = await browser.toCallback(started.url, victim);
    const address = await target(await browser.open(callback));
    if (index % 3 === 1) expect(await offersConfirmation(await browser.open(callback))).toBe(false);
    await browser.open(index % 3 === 2 ? await target(await browser.open(started.url)) : address);
    return (await stateOf(site, started))[0];
  };
  const states: unknown[] = [];
  while (states.length < FLOWS) {
    const batch = Array.from(
      { length: Math.min(10, FLOWS - states.length) },
      (_, index) => states.length + index,
    );
    states.push(...(await Promise.all(batch.map(attack))));
  }
  const linked = await linkedUsers(site);
  process.stdout.write(`verifier: ${FLOWS} flows in another person's browser, ${linked.length} linked\n`);

  expect(linked).toEqual([]);
  // Those that repeated the callback took the verifier's flow id away from themselves.
  expect(states.filter((state) => state === "completed")).toEqual([]);
  expect(verifier.answers.filter(({ status }) => status === 200)).toEqual([]);
}, 110_000);

describe("the test of a verifier", () => {
  const ask = (url: string, user_id = "alice") => ({ verifier_url: `${url}/verify?try=1`, user_id });

  test("confirms, sees the page of the result, and nothing is granted", async () => {
    await using deployment = await startVerifiedSite();
    const { site, verifier } = deployment;
    const agent = api(site.url, await site.key("verify"));
    const { status, body } = await agent.post("/v1/auth/validate_custom_verifier", ask(verifier.url));
    const address = String(at(body, "next_uri"));
    const browser = await signedInAt(verifier, new Browser(), "alice");
    const page = await browser.open(await target(await browser.open(address)));

    expect([status, address]).toEqual([
      200,
      `${verifier.url}/verify?try=1&flow_id=${String(at(body, "flow_id"))}`,
    ]);
    expect(await titleOf(page)).toBe("The verifier works");
    expect(await linkedUsers(site)).toEqual([]);
    const id = String(at(verifier.answers[0]?.body, "auth_id"));
    expect(await stateOf(site, { id, url: "" })).toEqual(["completed", undefined]);
  });

  test("reports the confirmation of another user", async () => {
    await using deployment = await startVerifiedSite();
    const { site, verifier } = deployment;
    const agent = api(site.url, await site.key("verify"));
    const { body } = await agent.post("/v1/auth/validate_custom_verifier", ask(verifier.url));
    const browser = await signedInAt(verifier, new Browser(), "bob");

    expect((await browser.open(String(at(body, "next_uri")))).status).toBe(403);
    expect(at(verifier.answers[0]?.body, "name")).toBe("user_mismatch");
  });

  test.each([
    "ftp://x.example",
    "http://verifier.example",
    "https://u:p@x.example",
    "/verify",
    "javascript:x",
  ])("is not at %s", async (verifier_url) => {
    await using deployment = await startVerifiedSite();
    const agent = api(deployment.site.url, await deployment.site.key("verify"));
    const answer = await agent.post("/v1/auth/validate_custom_verifier", { verifier_url, user_id: "alice" });

    expect([answer.status, at(answer.body, "name")]).toEqual([400, "invalid_parameter"]);
  });

  test("is not allowed to a user token, or for other users than those of the key", async () => {
    await using provider = await startOpenIdProvider();
    await using deployment = await startVerifiedSite({ RUNTIME_AUTH_URL: provider.url });
    const { site, verifier } = deployment;
    const test = async (credential: string, user: string): Promise<number> =>
      (await api(site.url, credential).post("/v1/auth/validate_custom_verifier", ask(verifier.url, user)))
        .status;
    const pinned = await site.key("verify", ["alice"]);

    expect(await test(issued(provider, site.url), "alice")).toBe(403);
    expect([await test(pinned, "alice"), await test(pinned, "bob")]).toEqual([200, 403]);
  });
});

describe("without a check", () => {
  const skip = { unsafe_skip_verification: true };

  test("is 403 if the operator does not allow it, and changes nothing", async () => {
    await using deployment = await startVerifiedSite();
    const answer = await deployment.settings({ ...skip, verifier_url: null });

    expect([answer.status, at(answer.body, "name")]).toEqual([403, "forbidden"]);
    const { address } = await consentOf(deployment);
    expect(new URL(address ?? "").pathname).toBe("/verify");
  });

  test("links with the callback, where it is allowed and chosen; the check is back when the operator withdraws it", async () => {
    await using deployment = await startVerifiedSite({ RUNTIME_UNSAFE_SKIP_VERIFICATION_ALLOWED: "true" });
    expect((await deployment.settings(skip)).body).toMatchObject(skip);
    const { title } = await consentOf(deployment);

    expect(title).toBe("Connected");
    expect(await linkedUsers(deployment.site)).toEqual(["alice"]);

    const { site, verifier } = deployment;
    await using withdrawn = await startSite({ folder: site.folder, chat: site.chat });
    const admin = api(withdrawn.url, await withdrawn.key("admin"));
    expect((await admin.get("/v1/admin/settings/session_verification")).body).toEqual({
      verifier_url: `${verifier.url}/verify?tenant=a%20b`,
      unsafe_skip_verification: false,
      unsafe_skip_verification_choice_allowed: false,
    });
  });
});

test("on a public address without user verification, authorize is 400 with the settings", async () => {
  await using site = await startSite({ environment: { RUNTIME_PUBLIC_URL: "https://runtime.example" } });
  await site.addChatProvider();
  const agent = api(site.url, await site.key("run"));
  const requests: [string, object][] = [
    ["/v1/tools/authorize", { tool_name: "Chat.WhoAmI" }],
    ["/v1/auth/authorize", { auth_requirement: { id: "slack", oauth2: { scopes: ["users:read"] } } }],
  ];

  for (const [path, body] of requests) {
    const answer = await agent.post(path, { ...body, user_id: "alice" });
    expect([answer.status, at(answer.body, "name")]).toEqual([400, "invalid_parameter"]);
    expect(String(at(answer.body, "message"))).toMatch(/auth\.url.*auth\.client_id.*verifier_url.*page_only/);
  }
});

test("on a public address, a pending consent fails when its verifier is removed", async () => {
  await using deployment = await consenting(
    {},
    { environment: { RUNTIME_PUBLIC_URL: "https://runtime.example" } },
  );
  const { runtime } = deployment;
  await runtime.settings.update(operator(), { verifier_url: "https://verifier.example" });
  const alice = new Person(runtime);
  const authorization = await start(runtime);
  const provider = await alice.toProvider(authorization);
  await runtime.settings.update(operator(), { verifier_url: null });

  const reason = "user verification is not configured any more";
  expect(await alice.comeBack(provider, { code: "C" })).toEqual({ kind: "failed", reason, about });
  expect(await status(runtime, authorization)).toMatchObject({ status: "failed", status_reason: reason });
});

/** alice's consent up to our callback's answer. */
async function consentOf({ site }: { site: Awaited<ReturnType<typeof startSite>> }) {
  const answer = await allowed(new Browser(), await startFor(site, "alice"), "alice");
  return { address: answer.headers.get("location"), title: await titleOf(answer) };
}
