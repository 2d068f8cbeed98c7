// What a client has begun for a person ends with what the person had allowed: running calls, long polls, and runs that wait.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../../connections/executing";
import { api, at } from "../../support/api";
import { operator } from "../../tools/deployment";
import { claimsOf, form, type SignInSite, startSignInSite, TestClient, type Tokens } from "./site";

const CLIENT = "runtime-cli";
const LONG_S = 30;

let site: SignInSite;
let client: TestClient;
let user: string;
let tokens: Tokens;
let people = 0;
beforeAll(async () => {
  site = await startSignInSite();
  await site.deployment.addProvider();
});
beforeEach(async () => {
  client = new TestClient(site.url, CLIENT);
  user = `person${people++}`;
  tokens = await client.tokens(await site.browser(user));
});
afterAll(() => site[Symbol.asyncDispose]());

const agent = () => api(site.url, tokens.access_token);

type End = [string, () => Promise<unknown>];

const REVOKED: End[] = [
  [
    "the client is revoked",
    () => site.deployment.runtime.authorizationServer.directory.revoke(operator(), CLIENT),
  ],
  ["the person is removed", () => site.deployment.runtime.invitations.remove(operator(), user)],
];
const SIGNED_OUT: End[] = [
  [
    "the client revokes its refresh token",
    () => form(`${site.url}/oauth/revoke`, { client_id: CLIENT, token: tokens.refresh_token }),
  ],
  [
    "a refresh token is used twice",
    async () => {
      await client.refresh(tokens.refresh_token);
      await client.refresh(tokens.refresh_token);
    },
  ],
];

/** A tool that ends only when it is stopped. */
function hangingTool() {
  const started = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  site.deployment.test.act = async (_input, context) => {
    started.resolve();
    context.signal.addEventListener("abort", () => stopped.resolve());
    await stopped.promise;
    return { done: true };
  };
  return { started: started.promise, stopped: stopped.promise };
}

describe.each([...REVOKED, ...SIGNED_OUT])("when %s", (_when, end) => {
  test("a running tool is stopped, and the caller gets 401", async () => {
    const tool = hangingTool();
    const call = agent().post("/v1/tools/execute", { tool_name: "Test.Act" });
    await tool.started;
    await end();
    await tool.stopped;

    expect((await call).status).toBe(401);
  });

  test("a long poll is 401", async () => {
    const begun = await agent().post("/v1/auth/authorize", {
      auth_requirement: { provider_id: "idp", oauth2: { scopes: ["read"] } },
    });
    const poll = agent().get(`/v1/auth/status?id=${String(at(begun.body, "id"))}&wait=${LONG_S}`);
    await Bun.sleep(100);
    await end();

    expect((await poll).status).toBe(401);
  });
});

describe("a run that was scheduled with a client", () => {
  async function scheduled(): Promise<{ id: string; runs: () => number }> {
    let runs = 0;
    site.deployment.test.act = async () => {
      runs += 1;
      return { done: true };
    };
    const run_at = new Date(site.deployment.clock.now() + 60_000).toISOString().slice(0, 19);
    const { body } = await agent().post("/v1/tools/execute", { tool_name: "Test.Act", run_at });
    return { id: String(at(body, "id")), runs: () => runs };
  }

  async function endOf(id: string): Promise<unknown> {
    site.deployment.clock.move(61_000);
    const admin = api(site.url, await site.key("admin"));
    const look = async () => (await admin.get(`/v1/scheduled_tools/${id}`)).body;
    await until(async () => !["pending", "running"].includes(String(at(await look(), "execution_status"))));
    return look();
  }

  test.each(REVOKED)("fails if %s meanwhile", async (_when, end) => {
    const { id, runs } = await scheduled();
    await end();
    const run = await endOf(id);

    expect([at(run, "execution_status"), runs()]).toEqual(["failed", 0]);
    expect(at(run, "attempts.0.system_error_message")).toContain("the client that scheduled this run");
  });

  test("fails if people sign in by another method", async () => {
    const { id, runs } = await scheduled();
    const change = (sign_in: "proxy" | "default") =>
      site.deployment.runtime.identity.projects.update(operator(), "default", { sign_in });
    await change("proxy");
    await change("default");

    expect([at(await endOf(id), "execution_status"), runs()]).toEqual(["failed", 0]);
  });

  test.each(SIGNED_OUT)("runs although %s", async (_when, end) => {
    const { id, runs } = await scheduled();
    await end();

    expect([at(await endOf(id), "execution_status"), runs()]).toEqual(["completed", 1]);
  });

  test("runs although another person ends what it has allowed the same client", async () => {
    const { id } = await scheduled();
    const others = await client.tokens(await site.browser(`${user} too`));
    const grant = String(claimsOf(others.access_token)["gid"]);
    await site.deployment.runtime.authorizationServer.grants.end(
      { projectId: "default", userId: `${user} too` },
      grant,
    );

    expect(at(await endOf(id), "execution_status")).toBe("completed");
  });
});
