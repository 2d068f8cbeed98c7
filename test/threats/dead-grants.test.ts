// A grant that the provider or the platform no longer accepts, and a user who is sent round in circles: told to consent,
// told that the consent is complete, and told to consent again.
import { afterAll, describe, expect, test } from "bun:test";
import { hooked } from "../hooks/hooked";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import type { Site } from "../support/site";
import { startStage, connect } from "../server/stage";
import { printFigure } from "./figure";

const EXECUTE = "/v1/tools/execute";
const CALL = { tool_name: "Chat.WhoAmI", user_id: "alice" };

let rounds = 0;
let circles = 0;
afterAll(() =>
  printFigure(
    "a dead grant that sends a person round in circles",
    `${rounds} dead grants: ${circles} circles`,
  ),
);

async function tokenOf({ runtime }: Site): Promise<string> {
  const provider = await runtime.providers.find("default", "slack");
  if (provider === undefined) throw new Error("there is no chat provider");
  return (await runtime.connections.grant("default", "alice", provider))?.token.reveal() ?? "";
}

/** What a client does: run, ask for the consent, send the person there, run again. */
describe.each([
  "revoked at the platform",
  "revoked while its consent is complete",
  "deleted by the administrator",
])("a grant that was %s", (how) => {
  test("needs one consent, whose status is never complete before it is", async () => {
    await using stage = await startStage();
    const { site, keys } = stage;
    const agent = api(site.url, keys.run);
    const connection = await connect(stage, "alice");
    expect(at((await agent.post(EXECUTE, CALL)).body, "success")).toBe(true);
    if (how === "deleted by the administrator")
      await api(site.url, keys.admin).delete(`/v1/admin/user_connections/${connection}`);
    else site.chat.revokeToken(await tokenOf(site));
    if (how === "revoked while its consent is complete") {
      const known = await agent.post("/v1/tools/authorize", CALL);
      // The server cannot know before it has used the token.
      expect(["completed", "pending"]).toContain(String(at(known.body, "status")));
    }
    const failed = await agent.post(EXECUTE, CALL);
    expect(at(failed.body, "success") === true).toBe(false);
    const asked = await agent.post("/v1/tools/authorize", CALL);
    rounds += 1;
    if (at(asked.body, "status") === "completed") circles += 1;

    expect(at(asked.body, "status")).toBe("pending");
    const status = await agent.get(`/v1/auth/status?id=${String(at(asked.body, "id"))}`);
    expect(at(status.body, "status")).toBe("pending");
    const requirements = await agent.post("/v1/tools/requirements", {
      tool_names: [CALL.tool_name],
      user_id: "alice",
    });
    expect(at(requirements.body, "met")).toBe(false);
    await new Browser().consent(String(at(asked.body, "url")), "alice");
    expect(at((await agent.post(EXECUTE, CALL)).body, "success")).toBe(true);
  });
});

test("a refresh that the provider refuses is not tried again, and the call says where to consent", async () => {
  await using stage = await hooked();
  const { deployment, agent } = stage;
  await deployment.give("carol", { access: "dead", refresh: "dead", expiresIn: 1 });
  deployment.clock.move(3_600_000);
  deployment.idp.otherwise({ status: 400, body: { error: "invalid_grant" } });
  const call = { tool_name: "Test.Call", user_id: "carol" };
  const answers = [];
  for (let round = 0; round < 5; round++) answers.push(await agent.post(EXECUTE, call));
  rounds += 1;

  expect(answers.map(({ status, body }) => [status, at(body, "name")])).toEqual(
    answers.map(() => [403, "tool_requirements_not_met"]),
  );
  expect(deployment.idp.requests).toHaveLength(1);
  const asked = await agent.post("/v1/tools/authorize", call);
  expect(at(asked.body, "status")).toBe("pending");
  // Asked again, it is the same consent.
  expect(at((await agent.post("/v1/tools/authorize", call)).body, "url")).toBe(String(at(asked.body, "url")));
});
