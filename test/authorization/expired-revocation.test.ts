// A grant whose access token has expired: a provider that wants this token for the revocation refuses it, so it is
// refreshed first.
import { expect, test } from "bun:test";
import { query } from "../../src/store";
import { breakWrites, connectionOf, until } from "../connections/executing";
import { deploy, type Deployment, idpRecord, operator } from "../tools/deployment";

const COUNT = query<{ count: number }>("SELECT COUNT(*) AS count FROM revocations");

interface Provider {
  deployment: Deployment;
  /** The access tokens of the revocations, and the refresh tokens of the refreshes, in order. */
  sent: string[];
}

/** A provider that revokes by the access token, and knows only `valid` as one that has not expired. */
async function provider(valid: string, refresh: () => object): Promise<Provider> {
  const deployment = await deploy();
  const { idp } = deployment;
  const revoke_request = { endpoint: `${idp.url}/revoke`, auth_method: "bearer_access_token" };
  await deployment.addProvider({ oauth2: { ...idpRecord(idp).oauth2, revoke_request } });
  const sent: string[] = [];
  idp.otherwise(({ address, headers, params }) => {
    if (!address.startsWith("/revoke")) {
      sent.push(`refresh ${String(params["refresh_token"])}`);
      return refresh();
    }
    const token = (headers.get("authorization") ?? "").replace(/^Bearer /, "");
    sent.push(`revoke ${token}`);
    return { body: token === valid ? { ok: true } : { ok: false, error: "token_expired" } };
  });
  return { deployment, sent };
}

async function remove({ runtime }: Deployment): Promise<void> {
  const connection = await connectionOf(runtime, "alice");
  await runtime.connections.delete(operator(), connection?.id ?? "");
}

const orders = async ({ runtime }: Deployment) => (await runtime.core.store.get(COUNT))?.count;
const NEWER = { body: { access_token: "newer", refresh_token: "second", expires_in: 3600 } };

test("it is refreshed, and then revoked", async () => {
  const { deployment, sent } = await provider("newer", () => NEWER);
  await using _ = deployment;
  await deployment.give("alice", { access: "expired", refresh: "first" });
  await remove(deployment);
  await until(async () => (await orders(deployment)) === 0);
  expect(sent).toEqual(["revoke expired", "refresh first", "revoke newer"]);
});

test("one that has not expired is not refreshed", async () => {
  const { deployment, sent } = await provider("current", () => NEWER);
  await using _ = deployment;
  await deployment.give("alice", { access: "current" });
  await remove(deployment);
  expect(sent).toEqual(["revoke current"]);
  expect(await orders(deployment)).toBe(0);
});

test.each([
  ["", false],
  [" although the database cannot be written for a while", true],
])("the new refresh token is stored%s: a later attempt uses it", async (_while, isBroken) => {
  const pairs = ["newer", "newest"].map((access_token, n) => ({
    body: { access_token, refresh_token: `refresh-${n}`, expires_in: 3600 },
  }));
  let broken: ReturnType<typeof breakWrites> | undefined;
  const { deployment, sent } = await provider("newest", () => {
    if (isBroken) broken ??= breakWrites(deployment.runtime);
    return pairs.shift() ?? NEWER;
  });
  await using _ = deployment;
  await deployment.give("alice", { access: "expired", refresh: "first" });
  const removed = remove(deployment);
  if (isBroken) {
    await until(() => (broken?.attempts() ?? 0) > 1);
    broken?.repair();
  }
  await removed;
  expect(sent).toEqual(["revoke expired", "refresh first", "revoke newer"]);

  deployment.clock.move(60_000);
  deployment.runtime.connections.revocations.sendDueInBackground();
  await until(async () => (await orders(deployment)) === 0);
  expect(sent.slice(3)).toEqual(["revoke newer", "refresh refresh-0", "revoke newest"]);
});

test("a refresh that is refused leaves the order for later", async () => {
  const { deployment, sent } = await provider("newer", () => ({
    status: 400,
    body: { error: "invalid_grant" },
  }));
  await using _ = deployment;
  await deployment.give("alice", { access: "expired", refresh: "first" });
  await remove(deployment);
  expect(sent).toEqual(["revoke expired", "refresh first"]);
  expect(await orders(deployment)).toBe(1);
});
