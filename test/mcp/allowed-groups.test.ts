// Gateways that only members of certain groups may use.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tokensOf } from "../interop/oidc/sign-in";
import { type OpenIdSite, startSignInSite } from "../interop/oidc/site";
import { signIn } from "../people/signing-in";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";

const alice: { groups: string[] } = { groups: ["support", "others"] };

let deployment: OpenIdSite;
beforeAll(async () => {
  deployment = await startSignInSite({ accounts: { alice, bob: { groups: ["others"] } } });
  const { identity, gateways } = deployment.site.runtime;
  const operator = await identity.operator("default");
  await gateways.create(operator, { name: "Support", slug: "support", allowed_groups: ["support", "leads"] });
  await gateways.create(operator, { name: "Everybody", slug: "everybody" });
  for (const user of ["alice", "bob"]) await signIn(deployment, new Browser(), user);
});
afterAll(() => deployment[Symbol.asyncDispose]());

/** The status of a `tools/list` of a person at a gateway, with the message. */
async function called(user: string, slug: string): Promise<{ status: number; text: string }> {
  const { site, provider, audience } = deployment;
  const { access_token } = await tokensOf(provider, user, audience);
  const answer = await fetch(`${site.url}/mcp/${slug}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${access_token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  return { status: answer.status, text: await answer.text() };
}

describe("a gateway with groups", () => {
  test("serves members of one of them", async () => {
    expect((await called("alice", "support")).status).not.toBe(403);
  });

  test.each(["bob", "carol"])("refuses %s, who is in none, with what to do", async (user) => {
    const { status, text } = await called(user, "support");

    expect([status, text]).toEqual([403, expect.stringContaining("sign in again")]);
    expect((await called(user, "everybody")).status).not.toBe(403);
  });

  test("refuses members whose groups cannot be read, until they can", async () => {
    const { access_token } = await tokensOf(deployment.provider, "alice", deployment.audience);
    const call = () => called("alice", "support");
    expect(access_token).not.toBe("");
    deployment.clock.move(5 * 60_000);
    alice.groups = ["others"];
    expect((await call()).status).toBe(403);

    alice.groups = ["support"];
    deployment.clock.move(5 * 60_000);
    expect((await call()).status).not.toBe(403);
  });

  test("shows them, and an empty list lets everybody in again", async () => {
    const { site } = deployment;
    const admin = api(site.url, await site.key("admin"));
    const { body } = await admin.get("/v1/orgs/default/projects/default/gateways");
    const shown = (at(body, "items") as { id: string; slug: string; allowed_groups?: string[] }[]).find(
      ({ slug }) => slug === "support",
    );
    expect(shown?.allowed_groups).toEqual(["support", "leads"]);
    const { identity, gateways } = site.runtime;
    const operator = await identity.operator("default");
    const after = await gateways.patch(operator, shown?.id ?? "", { allowed_groups: [] });

    expect(after.allowed_groups).toBeUndefined();
    expect((await called("bob", "support")).status).not.toBe(403);
  });
});

test.each(["arcade_header", "user_source"])(
  "groups without people who sign in (%s) are refused",
  async (auth_type) => {
    const { site } = deployment;
    const { identity, gateways } = site.runtime;
    const operator = await identity.operator("default");
    const request = { name: "Keys", auth_type: auth_type as "arcade_header", allowed_groups: ["support"] };

    await expect(gateways.create(operator, request)).rejects.toThrow(/allowed_groups|user_source_id/);
  },
);
