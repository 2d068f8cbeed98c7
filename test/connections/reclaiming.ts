// A deployment whose provider names the account and can revoke. Until a test says otherwise, it fails to revoke, and
// answers every other token request with a new access token without a refresh token.
import type { JsonObject } from "../../src/base";
import type { Runtime } from "../../src/runtime";
import { query } from "../../src/store";
import type { Answer, TokenRequest } from "../support/token-endpoint";
import {
  deploy,
  type Deployment,
  type DeploymentOptions,
  type GrantOptions,
  idpRecord,
  operator,
} from "../tools/deployment";
import { connectionOf, until } from "./executing";

export const HOUR = 3600_000;
export const MINUTE = 60_000;
export const A1 = { account_id: "A1" };
export const A2 = { account_id: "A2" };

const COUNT = query<{ count: number }>("SELECT COUNT(*) AS count FROM revocations");

export interface Reclaiming {
  readonly deployment: Deployment;
  readonly answers: { token: Answer; revoke: Answer };
  /** The refresh tokens that were sent to be revoked. */
  revoked(): unknown[];
  /** The refresh tokens that were sent to be exchanged. */
  refreshed(): unknown[];
}

/** `record`: more of the provider's record. */
export async function reclaiming(
  record: object = { provider_id: "known" },
  options?: DeploymentOptions,
): Promise<Reclaiming> {
  const deployment = await deploy(options);
  const { idp } = deployment;
  await deployment.addProvider({ ...record, oauth2: revocable(deployment) });
  const answers: Reclaiming["answers"] = {
    token: { body: { access_token: "newer", expires_in: 3600, account: { id: "A1" } } },
    revoke: { status: 503 },
  };
  idp.otherwise((request) => {
    const answer = isRevocation(request) ? answers.revoke : answers.token;
    return typeof answer === "function" ? answer(request) : answer;
  });
  const tokens = (field: string, matches: (request: TokenRequest) => boolean): unknown[] =>
    idp.requests
      .filter(matches)
      .map(({ params }) => params[field])
      .filter((token) => token !== undefined);
  return {
    deployment,
    answers,
    revoked: () => tokens("token", isRevocation),
    refreshed: () => tokens("refresh_token", (request) => !isRevocation(request)),
  };
}

export function isRevocation({ address }: TokenRequest): boolean {
  return address.startsWith("/revoke");
}

/** The provider's addresses; `at`: where its clients revoke and refresh. */
export function revocable({ idp }: Pick<Deployment, "idp">, at = idp.url): object {
  return {
    ...idpRecord(idp).oauth2,
    refresh_request: { endpoint: `${at}/token` },
    revoke_request: { endpoint: `${at}/revoke`, params: { token: "{{refresh_token}}" } },
  };
}

export function ordersOf({ core: { store } }: Runtime): Promise<number | undefined> {
  return store.get(COUNT).then((row) => row?.count);
}

/** The user deletes the connection. */
export async function remove(runtime: Runtime, userId = "alice", projectId = "default"): Promise<void> {
  const connection = await connectionOf(runtime, userId, projectId);
  await runtime.connections.delete(operator(projectId), connection?.id ?? "");
}

/** A user had a grant of the account A1, whose revocation has failed. */
export async function givenUp(
  { deployment }: Reclaiming,
  refresh: string,
  { user = "alice", ...grant }: GrantOptions & { user?: string } = {},
): Promise<void> {
  await deployment.give(user, { refresh, facts: A1, ...grant });
  await remove(deployment.runtime, user, grant.project);
}

/** The user consents again, and the provider returns no refresh token. */
export function consentAgain(deployment: Deployment, facts: JsonObject = A1): Promise<string> {
  return deployment.give("alice", { access: "again", refresh: null, facts });
}

/** Runs the worker of a server until `done`. */
export async function work(runtime: Runtime, done: () => boolean | Promise<boolean>): Promise<void> {
  const stop = new AbortController();
  const worker = runtime.consent.revokeUnusedGrants(stop.signal);
  await until(done);
  stop.abort();
  await worker;
}

/** Runs `work` before the next transaction of a runtime, which has read what it needs. */
export function beforeNextWrite({ core: { store } }: Runtime, work: () => Promise<void>): void {
  const write = store.write.bind(store);
  store.write = async (body, options) => {
    store.write = write;
    await work();
    return write(body, options);
  };
}
