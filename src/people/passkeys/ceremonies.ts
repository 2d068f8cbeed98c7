// The two ceremonies of WebAuthn (level 3, section 7): what the browser is asked, and the check of what the authenticator has
// signed. The library does the cryptography. Nothing is stored here.
import { isObject } from "../../base";
import type { Core } from "../../core";
import { forbidden, RuntimeError } from "../../errors";
import type { PasskeyRow } from "../people-repository";
import { withoutAttestation } from "./attestation";
import { type ChallengePurpose, Challenges } from "./challenges";
import type * as Library from "./library";
import { copiedPasskey, invalidAnswer, staleAnswer, unknownPasskey } from "./refusals";
import { type RelyingParty, relyingPartyOf } from "./relying-party";
import type { RegistrationAnswer, SignInAnswer } from "./schema";

const TIMEOUT_MS = 5 * 60_000;

export type CreationOptions = Awaited<ReturnType<typeof Library.generateRegistrationOptions>>;
export type RequestOptions = Awaited<ReturnType<typeof Library.generateAuthenticationOptions>>;

/** Who gets a passkey, in which browser. */
export interface PasskeyOwner {
  projectId: string;
  userId: string;
  /** The cookie of the browser. */
  browser: string;
}

/** A challenge that was answered. It must be used (`Challenges.use`) in the transaction that acts on the answer. */
export interface Answered {
  challenge: string;
  expiresAt: number;
}

export class Ceremonies {
  readonly challenges: Challenges;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
    this.challenges = new Challenges(core);
  }

  /** What a browser needs to sign in with any passkey of this deployment: no user is named. */
  async requestOptions(projectId: string, browser: string): Promise<RequestOptions> {
    const { id } = this.#party();
    const { generateAuthenticationOptions } = await import("./library");
    return generateAuthenticationOptions({
      rpID: id,
      challenge: await this.challenges.create({ projectId, browser, purpose: "sign-in" }),
      userVerification: "required",
      timeout: TIMEOUT_MS,
    });
  }

  /** What a browser needs to make a passkey. `known`: the passkeys that the person has: none is made on the same device. */
  async creationOptions(
    owner: PasskeyOwner,
    name: string | undefined,
    known: readonly PasskeyRow[],
  ): Promise<CreationOptions> {
    const { projectId, userId } = owner;
    const { id } = this.#party();
    const { generateRegistrationOptions } = await import("./library");
    return generateRegistrationOptions({
      rpName: id,
      rpID: id,
      // What authenticators show in their lists.
      userName: projectId === "default" ? userId : `${userId} (${projectId})`,
      userDisplayName: name ?? userId,
      userID: userHandle(projectId, userId),
      challenge: await this.challenges.create(purposeOf(owner)),
      timeout: TIMEOUT_MS,
      attestationType: "none",
      excludeCredentials: known.map((row) => ({ id: row.id, transports: transportsOf(row) })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
  }

  /** Throws `forbidden` for an answer that this passkey has not signed for this browser and origin, now. */
  async checkSignIn(
    row: PasskeyRow,
    answer: SignInAnswer,
    browser: string,
  ): Promise<Answered & { counter: number }> {
    const { project_id: projectId, user_id: userId } = row;
    const handle = Buffer.from(userHandle(projectId, userId)).toString("base64url");
    if (answer.response.userHandle !== handle) throw unknownPasskey();
    refuseFramed(answer.response.clientDataJSON);
    const { id, origin } = this.#party();
    const { verifyAuthenticationResponse } = await import("./library");
    const { value, ...answered } = await this.#checked(
      { projectId, browser, purpose: "sign-in" },
      (expectedChallenge) =>
        verifyAuthenticationResponse({
          response: { ...answer, clientExtensionResults: {} },
          expectedChallenge,
          expectedOrigin: origin,
          expectedRPID: id,
          requireUserVerification: true,
          // The library compares counters before it checks the signature. Here it is the other way round.
          credential: { id: row.id, publicKey: bytesOf(row.public_key), counter: 0 },
        }),
    );
    const counter = value.authenticationInfo.newCounter;
    // WebAuthn, section 6.1.1: two authenticators may have the same key.
    if (row.counter > 0 && counter <= row.counter) {
      this.#core.log.warn("a passkey was refused: its counter went back", { project: projectId, counter });
      throw copiedPasskey();
    }
    return { ...answered, counter };
  }

  /** The new credential. Throws `forbidden` for an answer that was not made for this person, browser and origin, now. */
  async checkNew(owner: PasskeyOwner, answer: RegistrationAnswer) {
    const { id, origin } = this.#party();
    const { decodeAttestationObject, verifyRegistrationResponse } = await import("./library");
    const { clientDataJSON } = answer.response;
    const attestationObject = unattested(answer.response.attestationObject, decodeAttestationObject);
    refuseFramed(clientDataJSON);
    const { value, ...answered } = await this.#checked(purposeOf(owner), (expectedChallenge) =>
      verifyRegistrationResponse({
        response: {
          ...answer,
          response: { attestationObject, clientDataJSON },
          clientExtensionResults: {},
        },
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: id,
        requireUserVerification: true,
      }),
    );
    if (value.registrationInfo === undefined) throw invalidAnswer();
    const { credential } = value.registrationInfo;
    return {
      ...answered,
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString("base64url"),
      counter: credential.counter,
    };
  }

  async #checked<T extends { verified: boolean }>(
    purpose: ChallengePurpose,
    verify: (expected: (challenge: string) => Promise<boolean>) => Promise<T>,
  ): Promise<Answered & { value: T }> {
    let answered: Answered | undefined;
    try {
      const value = await verify(async (given) => {
        const challenge = Buffer.from(given, "base64url").toString();
        const expiresAt = await this.challenges.check(challenge, purpose);
        if (expiresAt === undefined) throw staleAnswer();
        answered = { challenge, expiresAt };
        return true;
      });
      if (!value.verified || answered === undefined) throw invalidAnswer();
      return { value, ...answered };
    } catch (error) {
      if (error instanceof RuntimeError) throw error;
      this.#core.log.debug("a passkey was refused", { project: purpose.projectId, error });
      throw invalidAnswer();
    }
  }

  #party(): RelyingParty {
    const party = relyingPartyOf(this.#core.publicUrl());
    if ("reason" in party) throw forbidden(party.reason);
    return party;
  }
}

/** Our pages are in no frame. The library accepts an answer from a frame of another site's page if it has our origin. */
function refuseFramed(clientDataJSON: string): void {
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString());
  } catch {
    throw invalidAnswer();
  }
  if (!isObject(data) || data["crossOrigin"] === true) throw invalidAnswer();
}

function purposeOf({ projectId, userId, browser }: PasskeyOwner): ChallengePurpose {
  return { projectId, browser, purpose: `add ${userId}` };
}

/**
 * By which authenticators know a person. A passkey replaces one with the same handle, and projects share the host name: so the
 * project is part of it. A hash, because it must not tell who it is (WebAuthn, section 14.6.1).
 */
function userHandle(projectId: string, userId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    new Bun.CryptoHasher("sha256").update(JSON.stringify(["passkey", projectId, userId])).digest(),
  );
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, "base64url"));
}

function transportsOf({ transports }: PasskeyRow): string[] {
  const list: unknown = JSON.parse(transports ?? "[]");
  return Array.isArray(list) ? list.map(String) : [];
}

type Decode = (object: Uint8Array<ArrayBuffer>) => { get(key: "authData"): Uint8Array };

/** Throws `forbidden` for what is not an attestation object. */
function unattested(object: string, decode: Decode): string {
  try {
    const plain = withoutAttestation(decode(bytesOf(object)).get("authData"));
    if (plain !== undefined) return plain;
  } catch {
    // The library says what is wrong, in words for developers.
  }
  throw invalidAnswer();
}
