// Verifies the tokens of workloads: JWTs (RFC 7519) that a platform gives to its own jobs. They are not access tokens as of
// RFC 9068, so `jose` checks signature, issuer and time; `workloads.ts` compares audience and subject.
import type { JWTPayload } from "jose";
import * as errors from "jose/errors";
import { MetadataError } from "../authorization-server";
import { TimedCache } from "../base";
import type { Core } from "../core";
import { hashOf } from "../crypto";
import { EgressError } from "../egress";
import { invalidAuthorization } from "../errors";
import { OpenIdIssuer } from "./issuer";
import { ALGORITHMS, IssuerKeys, type Keys, KEYS_TTL_MS, MAX_VERIFIED, TOLERANCE_S } from "./issuer-keys";

export interface VerifiedWorkload {
  subject: string;
  audience: string;
}

/** Tokens of workloads are short-lived; one that lives longer is like a key that cannot be revoked. */
const MOST_LIFETIME_S = 24 * 3600;
const MAX_SUBJECT = 1024;
/** Platforms use `JWT` or no type; other types, such as `logout+jwt`, are not for authentication (RFC 8725, section 3.11). */
const TYPES = [undefined, "jwt", "at+jwt", "application/at+jwt"];

/** Why a token is refused, as a part of a sentence. */
class Refused extends Error {}

export class WorkloadTokens {
  readonly #core: Core;
  readonly #issuer: string;
  readonly #keys: IssuerKeys;
  /** By the hash of the token; an entry is as old as the keys that verified it. */
  readonly #verified: TimedCache<string, VerifiedWorkload>;

  constructor(core: Core, issuer: string) {
    this.#core = core;
    this.#issuer = issuer;
    this.#keys = new IssuerKeys(core, new OpenIdIssuer(core, issuer));
    this.#verified = new TimedCache(core.clock, KEYS_TTL_MS, MAX_VERIFIED);
  }

  /** Throws `invalid_authorization`; the message names the failed check and never repeats the token. */
  async verify(token: string): Promise<VerifiedWorkload> {
    const hash = hashOf(token);
    const cached = this.#verified.get(hash);
    if (cached !== undefined) return cached;
    try {
      const { result, at } = await this.#keys.use(
        (keys) => this.#check(token, keys),
        (error) => error instanceof errors.JWKSNoMatchingKey,
      );
      const { subject, audience, end } = result;
      const workload = { subject, audience };
      this.#verified.set(hash, workload, at, Math.min(KEYS_TTL_MS, end - at));
      return workload;
    } catch (error) {
      this.#core.log.debug("workload token refused", { issuer: this.#issuer, error });
      throw invalidAuthorization(`The token of the workload was refused: ${reasonOf(error)}.`, {
        cause: error,
      });
    }
  }

  async #check(token: string, { jwks }: Keys): Promise<VerifiedWorkload & { end: number }> {
    const { createLocalJWKSet, jwtVerify } = await import("jose");
    const now = this.#core.clock.now();
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet({ keys: [...jwks.keys] }), {
      algorithms: ALGORITHMS,
      // To the letter: issuers that differ in a slash are two.
      issuer: this.#issuer,
      currentDate: new Date(now),
      clockTolerance: TOLERANCE_S,
      requiredClaims: ["iss", "sub", "aud", "iat", "exp"],
    });
    if (!TYPES.includes(protectedHeader.typ?.toLowerCase()))
      throw new Refused("its typ is not JWT or at+jwt");
    return { ...namesIn(payload), end: endOf(payload, now / 1000) };
  }
}

/** The end of the token, ms. */
function endOf({ iat = Infinity, exp = Infinity }: JWTPayload, now: number): number {
  if (iat > now + TOLERANCE_S) throw new Refused("it was issued in the future");
  if (exp - iat > MOST_LIFETIME_S) throw new Refused("it is valid for more than 24 hours");
  return (exp + TOLERANCE_S) * 1000;
}

function namesIn({ sub = "", aud, cnf }: JWTPayload): VerifiedWorkload {
  // The sender would have to prove that it has a key (RFC 7800), which a Bearer token does not.
  if (cnf !== undefined) throw new Refused("it is bound to a key of its sender");
  // The other recipient could use it here.
  const [audience, ...others] = Array.isArray(aud) ? aud : [aud];
  if (typeof audience !== "string" || others.length > 0) throw new Refused("it has more than one audience");
  if (typeof sub !== "string" || sub === "" || sub.length > MAX_SUBJECT || /\p{Cc}/u.test(sub))
    throw new Refused("its subject is not valid");
  return { subject: sub, audience };
}

function reasonOf(error: unknown): string {
  if (error instanceof Refused) return error.message;
  if (error instanceof EgressError) return "its issuer cannot be reached; try again later";
  if (error instanceof MetadataError)
    return error.issuer === undefined
      ? "its issuer publishes no metadata"
      : "the metadata at its issuer has another issuer";
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (error instanceof errors.JWTClaimValidationFailed) return claimReason(error);
  if (error instanceof errors.JOSEAlgNotAllowed) return "its signature algorithm is not accepted";
  if (error instanceof errors.JWKSNoMatchingKey) return "its signing key is not among the keys of its issuer";
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWSInvalid)
    return "its signature or form is not valid";
  return "it could not be verified";
}

function claimReason({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (reason === "missing") return `it has no ${claim}`;
  if (claim === "nbf" || claim === "iat") return "it is not valid yet";
  return claim === "iss" ? "it has another issuer" : `its ${claim} is not valid`;
}
