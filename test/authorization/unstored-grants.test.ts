// Grants that a consent or a refresh has received and must give up, while the database does not accept writes.
import { expect, test } from "bun:test";
import { breakWrites, call, until } from "../connections/executing";
import { A1, HOUR, ordersOf, type Reclaiming, reclaiming } from "../connections/reclaiming";
import { operator } from "../tools/deployment";
import { start } from "./consenting";
import { Person } from "./person";

/** Alice's consent up to the page of the user check. `received`: called when the grant has been received. */
async function consent(
  { deployment: { runtime, idp }, answers }: Reclaiming,
  received: () => void,
): Promise<{ kind: string }> {
  answers.revoke = { body: {} };
  answers.token = ({ address }) => {
    if (address.startsWith("/introspect")) {
      received();
      return { body: { active: false } };
    }
    return { body: { access_token: "new", refresh_token: "of-new", account: { id: "A1" } } };
  };
  const token_introspection_request = { endpoint: `${idp.url}/introspect`, triggers: TRIGGERS };
  await runtime.providers.update(operator(), "idp", { oauth2: { token_introspection_request } });
  const alice = new Person(runtime);
  return alice.comeBack(await alice.toProvider(await start(runtime)), { code: "C" });
}

const TRIGGERS = { on_token_grant: true, on_token_refresh: false };

test("a grant that the provider calls inactive is revoked when the database can be written again", async () => {
  const reclaimed = await reclaiming();
  const { deployment, revoked } = reclaimed;
  await using _ = deployment;
  const { runtime } = deployment;
  let broken: ReturnType<typeof breakWrites> | undefined;
  const outcome = consent(reclaimed, () => (broken = breakWrites(runtime)));
  await until(() => (broken?.attempts() ?? 0) > 1);
  broken?.repair();

  expect(await outcome).toMatchObject({ kind: "failed" });
  await until(async () => (await ordersOf(runtime)) === 0);
  expect(revoked()).toEqual(["of-new"]);
});

test("a grant of another account that a refresh returns is revoked when the database can be written again", async () => {
  const reclaimed = await reclaiming();
  const { deployment, answers, revoked } = reclaimed;
  await using _ = deployment;
  const { runtime, clock } = deployment;
  await deployment.give("alice", { facts: A1 });
  let broken: ReturnType<typeof breakWrites> | undefined;
  answers.revoke = { body: {} };
  answers.token = () => {
    broken ??= breakWrites(runtime);
    return { body: { access_token: "other", refresh_token: "of-other", account: { id: "A2" } } };
  };
  clock.move(2 * HOUR);
  const called = call(runtime, "alice").catch(() => undefined);
  await until(() => (broken?.attempts() ?? 0) > 1);
  broken?.repair();
  await called;

  await until(async () => (await ordersOf(runtime)) === 0);
  expect(revoked()).toEqual(["of-other"]);
});
