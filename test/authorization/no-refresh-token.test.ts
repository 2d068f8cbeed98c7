// A consent without a refresh token is reported at once, not when the grant expires.
import { expect, test } from "bun:test";
import { consenting, HOUR, start, status } from "./consenting";
import { Person } from "./person";

const NO_REFRESH = "the provider returned no refresh token";

test("the consent is completed, and its record warns that the grant will expire [fault: lost-refresh-token]", async () => {
  await using deployment = await consenting({ refresh_token: undefined });
  const { runtime } = deployment;
  const authorization = await start(runtime);
  await new Person(runtime).consent(authorization);

  const record = await status(runtime, authorization);
  expect(record.status).toBe("completed");
  expect(record.status_reason).toStartWith(NO_REFRESH);
  expect(record.status_reason).toContain("authorize_request");
});

test.each<[string, object]>([
  ["one came", {}],
  ["the token is not said to expire", { refresh_token: undefined, expires_in: undefined }],
])("nothing is said when %s", async (_name, answer) => {
  await using deployment = await consenting(answer);
  const { runtime } = deployment;
  const authorization = await start(runtime);
  await new Person(runtime).consent(authorization);

  expect(await status(runtime, authorization)).not.toHaveProperty("status_reason");
});

test("the warning does not require another consent before the grant expires", async () => {
  await using deployment = await consenting({ refresh_token: undefined });
  const { runtime, clock } = deployment;
  await new Person(runtime).consent(await start(runtime));

  expect((await start(runtime)).status).toBe("completed");
  clock.move(2 * HOUR);
  expect((await start(runtime)).status).toBe("pending");
});
