// Many grants that expire at the same time: each is refreshed once, and a token endpoint that hangs stops no other project.
import { expect, test } from "bun:test";
import { deploy, idpRecord, operator } from "../tools/deployment";
import { startTokenEndpoint } from "../support/token-endpoint";
import { printFigure } from "./figure";

const USERS = 300;

function users(): string[] {
  return Array.from({ length: USERS }, (_, index) => `user-${index}`);
}

test("1,200 calls of 300 users whose tokens have expired: 300 refreshes", async () => {
  await using deployment = await deploy();
  const { runtime, clock, idp, platform } = deployment;
  await deployment.addProvider();
  for (const user of users()) await deployment.give(user, { expiresIn: 60 });
  clock.move(120_000);
  idp.otherwise(({ params }) => ({
    body: { access_token: `new-${params["refresh_token"]}`, token_type: "Bearer", expires_in: 3600 },
  }));

  const calls = [1, 2, 3, 4].flatMap(() =>
    users().map((user_id) =>
      runtime.tools.execute(operator(), { tool_name: "Test.Call", user_id, input: {} }),
    ),
  );
  const results = await Promise.all(calls);

  expect(results.filter(({ success }) => success)).toHaveLength(4 * USERS);
  expect(idp.requests).toHaveLength(USERS);
  expect(new Set(platform.tokens()).size).toBe(USERS);
  printFigure("refresh storm", `${4 * USERS} calls of ${USERS} users: ${idp.requests.length} refreshes`);
});

test("300 refreshes that hang: the calls and refreshes of another project go on", async () => {
  await using deployment = await deploy();
  const { runtime, clock, idp } = deployment;
  await using second = startTokenEndpoint();
  await deployment.addProvider();
  await runtime.identity.createProject(operator(), "second", "Second");
  await deployment.addProvider(idpRecord(second), "second");
  for (const user of users()) await deployment.give(user, { expiresIn: 60 });
  await deployment.give("other", { project: "second", expiresIn: 60 });
  clock.move(120_000);
  const end = Promise.withResolvers<void>();
  idp.otherwise(async () => {
    await end.promise;
    return { status: 503 };
  });
  second.otherwise({ body: { access_token: "fresh", token_type: "Bearer", expires_in: 3600 } });

  const hanging = users().map((user_id) =>
    runtime.tools.execute(operator(), { tool_name: "Test.Call", user_id, input: {} }).catch(() => undefined),
  );
  while (idp.requests.length < 150) await Bun.sleep(5);
  const request = { tool_name: "Test.Call", user_id: "other", input: {} };
  const answer = await runtime.tools.execute(operator("second"), request);

  expect(answer.success).toBe(true);
  expect(idp.requests.length).toBeLessThan(200);
  end.resolve();
  await Promise.all(hanging);
});
