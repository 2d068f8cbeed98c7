// A deployment with a scripted provider, and a consent for alice.
import type { Authorization } from "../../src/authorization";
import type { Runtime } from "../../src/runtime";
import { agent, deploy, type Deployment, type DeploymentOptions } from "../tools/deployment";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** The provider `idp` grants these tokens for any code. */
export async function consenting(answer: object = {}, options?: DeploymentOptions): Promise<Deployment> {
  const deployment = await deploy(options);
  await deployment.addProvider();
  deployment.idp.otherwise({
    body: { access_token: "granted", refresh_token: "granted-refresh", expires_in: 3600, ...answer },
  });
  return deployment;
}

/** A process whose wall clock is ahead, by 100 days if nothing else is said. */
export function ahead({ another, clock }: Deployment, ms = 100 * 24 * HOUR): Promise<Runtime> {
  return another({ clock: { ...clock, now: () => clock.now() + ms } });
}

/** Lets the worker of a server look once for grants that nothing holds. */
export async function look(runtime: Runtime): Promise<void> {
  const stop = new AbortController();
  const worker = runtime.consent.revokeUnusedGrants(stop.signal);
  stop.abort();
  await worker;
}

/** The consent for scopes a and b. */
export function start(
  runtime: Runtime,
  wish: { user?: string; nextUri?: string } = {},
): Promise<Authorization> {
  return runtime.authorization.authorize(agent(), {
    auth_requirement: { id: "idp", oauth2: { scopes: ["a", "b"] } },
    user_id: wish.user ?? "alice",
    ...(wish.nextUri === undefined ? {} : { next_uri: wish.nextUri }),
  });
}

export function status(runtime: Runtime, { id }: Authorization, wait?: number): Promise<Authorization> {
  return runtime.authorization.status(agent(), id, wait);
}

/** Whom the consents of these tests link, as the outcomes for the browser name them. */
export const about = { projectId: "default", providerId: "idp" };
