// A wall clock that jumps ahead, is used for a while and is set back: nothing that works again then may have been deleted.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Browser, type SignInSite, startSignInSite, TestClient } from "./authorization-server/site";

/** Longer than sessions, refresh tokens and unused registrations live. */
const JUMP_MS = 100 * 86_400_000;

let site: SignInSite;
let gateway: string;
let alice: Browser;
beforeEach(async () => {
  site = await startSignInSite();
  gateway = await site.tokenGateway("workbench");
  alice = await site.browser("alice");
});
afterEach(() => site[Symbol.asyncDispose]());

/** Other people use everything under a clock that is far ahead. */
async function jumpAndBack(): Promise<void> {
  const { clock } = site.deployment;
  clock.jump(JUMP_MS);
  const client = await TestClient.register(site.url);
  await client.tokens(await site.browser("bob"), gateway);
  clock.jump(-JUMP_MS);
}

test("the session of a browser", async () => {
  await jumpAndBack();

  const { people } = site.deployment.runtime;
  const person = await people.signedIn("default", alice.cookies.get("runtime_session_default"));
  expect(person?.userId).toBe("alice");
});

test("the registration and the tokens of a client", async () => {
  const client = await TestClient.register(site.url);
  const { refresh_token } = await client.tokens(alice, gateway);
  await jumpAndBack();

  expect((await client.refresh(refresh_token)).status).toBe(200);
});

test("the link of an invitation", async () => {
  const { invitations } = site.deployment.runtime;
  const operator = { kind: "operator", projectId: "default" } as const;
  const { link = "" } = await invitations.invite(operator, { user_id: "carol" });
  await jumpAndBack();

  expect((await alice.open(new URL(link).pathname)).status).toBe(200);
});
