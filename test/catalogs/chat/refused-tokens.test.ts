// The platform refuses all tokens of the app because this server's address has changed: the connections survive.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Redacted } from "../../../src/base";
import { agent } from "../../tools/deployment";
import { type Site, startSite } from "../../support/site";
import { ALL_SCOPES } from "./run";

const USERS = ["alice", "bob", "carol"] as const;

let site: Site;
beforeAll(async () => {
  site = await startSite();
  await site.addChatProvider();
  const { connections, providers } = site.runtime;
  const provider = await providers.find("default", "slack");
  if (provider === undefined) throw new Error("no provider");
  for (const user of USERS) {
    const grant = {
      accessToken: new Redacted(site.chat.issueToken(user, ALL_SCOPES).accessToken),
      refreshToken: undefined,
      expiresIn: undefined,
      scopes: [...ALL_SCOPES],
      facts: { user_id: site.chat.people[user].id, team_id: site.chat.team.id },
    };
    await connections.store("default", user, provider, grant, [], function* () {});
  }
});
afterAll(() => site[Symbol.asyncDispose]());

async function whoAmI(user_id: string) {
  const request = { tool_name: "Chat.WhoAmI", user_id, input: {} };
  return (await site.runtime.tools.execute(agent(), request)).output;
}

test("the third user's error is the operator's, and all users go on when the address is allowed", async () => {
  site.chat.fail("*", { kind: "error", error: "invalid_auth" }, 100);
  expect((await whoAmI("alice"))?.error?.kind).toBe("UPSTREAM_RUNTIME_AUTH_ERROR");
  expect((await whoAmI("bob"))?.error?.kind).toBe("UPSTREAM_RUNTIME_AUTH_ERROR");
  const error = (await whoAmI("carol"))?.error;
  expect(error?.kind).toBe("TOOL_RUNTIME_FATAL");
  expect(error?.message).toContain("invalid_auth");
  expect(error?.message).toContain("network addresses");

  site.chat.clearFaults();
  for (const user of USERS) expect((await whoAmI(user))?.value).toMatchObject({ username: user });
});
