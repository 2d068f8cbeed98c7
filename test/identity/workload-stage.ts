// A deployment with a platform that gives tokens to its jobs.
import type { WorkloadCreate } from "../../src/identity";
import { type JwtParts, signed } from "../interop/oidc/keys";
import { type OpenIdProvider, startOpenIdProvider } from "../interop/oidc/provider";
import { deploy, type Deployment, operator } from "../tools/deployment";

export const AUDIENCE = "https://runtime.example.com";
export const SUBJECT = "repo:acme/app:ref:refs/heads/main";

export interface Stage extends AsyncDisposable {
  deployment: Deployment;
  issuer: OpenIdProvider;
  /** Creates a workload for the issuer; answers its id. */
  accept(request?: Partial<WorkloadCreate>, project?: string): Promise<string>;
}

export async function stage(environment: Record<string, string> = {}): Promise<Stage> {
  const issuer = await startOpenIdProvider();
  const deployment = await deploy({ environment });
  const { workloads } = deployment.runtime.identity;
  return {
    deployment,
    issuer,
    accept: async (request = {}, project = "default") => {
      const whole = {
        name: "deploy",
        issuer: issuer.url,
        audience: AUDIENCE,
        subject: SUBJECT,
        ...request,
      };
      return (await workloads.create(operator(project), whole)).id;
    },
    [Symbol.asyncDispose]: async () => {
      await deployment[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

/** A token as platforms give them to their jobs, with changes. */
export function parts(
  issuer: { url: string; key: { kid: string } },
  changes: Partial<JwtParts> = {},
): JwtParts {
  const now = Math.floor(Date.now() / 1000);
  return {
    header: { typ: "JWT", alg: "ES256", kid: issuer.key.kid, ...changes.header },
    claims: { iss: issuer.url, sub: SUBJECT, aud: AUDIENCE, iat: now, exp: now + 300, ...changes.claims },
  };
}

export const token = (
  issuer: OpenIdProvider,
  claims: JwtParts["claims"] = {},
  header: JwtParts["header"] = {},
) => signed(parts(issuer, { claims, header }), issuer.key);
