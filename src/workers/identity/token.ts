// The token that tells a worker on whose behalf it is called (docs/worker-identity.md). Each request gets a new one, so a worker
// may refuse one that it has seen: signing takes about 40 µs, a small part of a request.
import { Redacted } from "../../base";
import type { Core } from "../../core";
import { signedToken, unsignedToken } from "../../crypto";
import { SIGNATURE, type SigningKey } from "../../jwt-keys";
import type { IdentityKeys } from "./keys";

/** For clocks that differ: libraries refuse a token of the future without leeway. */
const EARLIER_S = 5;
const VALID_S = 300;

/** On whose behalf a request is sent. */
export interface OnBehalf {
  userId: string;
  /** Who asked for it: `key:ID`, `user:ID`, `operator`. */
  actor: string;
}

/** The worker that a token is for. */
export interface Audience {
  projectId: string;
  uri: string;
}

/** Signs a token. Without a user it has no subject, as when a catalog is read. */
export type SignIdentity = (worker: Audience, on: OnBehalf | undefined) => Promise<Redacted>;

export function identitySigner(core: Pick<Core, "clock" | "publicUrl">, keys: IdentityKeys): SignIdentity {
  return async (worker, on) => {
    const key = await keys.signing(worker.projectId);
    return signed(key, claimsOf(worker, on, { issuer: core.publicUrl(), nowMs: core.clock.now() }));
  };
}

function claimsOf(
  { projectId, uri }: Audience,
  on: OnBehalf | undefined,
  { issuer, nowMs }: { issuer: string; nowMs: number },
): object {
  const from = Math.floor(nowMs / 1000) - EARLIER_S;
  return {
    iss: issuer,
    // The same user id is another user in another project.
    project: projectId,
    ...(on === undefined ? {} : { sub: on.userId, act: { sub: on.actor } }),
    aud: uri,
    iat: from,
    exp: from + VALID_S,
    jti: crypto.randomUUID(),
  };
}

async function signed({ id, key }: SigningKey, claims: object): Promise<Redacted> {
  const unsigned = unsignedToken({ alg: "ES256", typ: "JWT", kid: id }, claims);
  const signature = await crypto.subtle.sign(SIGNATURE, key, Buffer.from(unsigned));
  return new Redacted(signedToken(unsigned, new Uint8Array(signature)));
}
