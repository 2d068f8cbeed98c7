// A token endpoint that counts the requests of a grant and refuses further ones for a while.
import { expect, test } from "bun:test";
import type { ProviderPreset } from "../../src/providers";
import { deploy, type Deployment } from "../tools/deployment";
import { call, connectionOf, succeeded, times } from "./executing";

const HOUR = 3600_000;
const MINUTE = 60_000;
const REFUSED = { body: { error: "Too Many", error_description: "Wait." } };
const TOKENS = { body: { access_token: "newer", expires_in: 3600 } };

const counting: ProviderPreset = {
  id: "counting",
  description: "Counts",
  oauth2: {},
  tokenThrottle: { errors: ["Too Many"], waitMs: 10 * MINUTE },
};

/** Alice, whose access token has expired, and a token endpoint that refuses one request. */
async function refusing(provider_id = counting.id): Promise<Deployment> {
  const deployment = await deploy({ presets: [counting] });
  await deployment.addProvider({ provider_id });
  await deployment.give("alice", { refresh: "refresh-of-alice" });
  deployment.idp.queue(REFUSED);
  deployment.idp.otherwise(TOKENS);
  deployment.clock.move(HOUR);
  return deployment;
}

test("is left alone by all callers in all processes until the wait is over, and the grant lives on", async () => {
  await using deployment = await refusing();
  const { runtime, idp, clock } = deployment;
  const other = await deployment.another();

  const first = await call(runtime, "alice");
  const executions = await times(20, (index) => call(index % 2 === 0 ? runtime : other, "alice"));
  for (const { output } of [first, ...executions]) {
    expect(output?.error).toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR", can_retry: true });
    expect(output?.error?.retry_after_ms).toBeLessThanOrEqual(10 * MINUTE);
    expect(output?.error?.message).toContain("The grant remains valid.");
  }
  expect(idp.requests).toHaveLength(1);
  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });

  clock.move(10 * MINUTE);
  expect(succeeded([await call(other, "alice")])).toBe(1);
  expect(idp.requests).toHaveLength(2);
});

test("is not waited for longer than it asked, if the clock is set back", async () => {
  await using deployment = await refusing();
  const { runtime, clock, idp } = deployment;
  clock.move(HOUR);
  await call(runtime, "alice");
  // The token has expired all the same.
  clock.jump(-MINUTE);

  expect(succeeded([await call(runtime, "alice")])).toBe(1);
  expect(idp.requests).toHaveLength(2);
});

test("ends at once with a new grant", async () => {
  await using deployment = await refusing();
  const { runtime, idp } = deployment;
  await call(runtime, "alice");
  await deployment.give("alice", { access: "another" });

  expect(succeeded([await call(runtime, "alice")])).toBe(1);
  expect(idp.requests).toHaveLength(1);
});

test("without a rule of its provider, the same code is a refusal that does not pass", async () => {
  await using deployment = await refusing("elsewhere");
  const { output } = await call(deployment.runtime, "alice");

  expect(output?.error).toMatchObject({ can_retry: false });
  expect(output?.error?.message).toContain("The provider refused the token request: Too Many.");
  expect(output?.error?.retry_after_ms).toBeUndefined();
});
