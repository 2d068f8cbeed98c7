// Passkeys (WebAuthn level 3): people set them with a one-time link, add further devices, and sign in with them. No user name
// is typed: a passkey knows whose it is.
import { timestamp } from "../../base";
import type { Core } from "../../core";
import { alreadyExists, forbidden } from "../../errors";
import type { Principal } from "../../identity";
import { DeletionTime, type Transaction } from "../../store";
import type { Browser } from "../browser";
import {
  type Invitations,
  type OpenedLink,
  type PeopleParts,
  requirePasskeyMethod,
  unknownLink,
} from "../invitations";
import * as repository from "../people-repository";
import type { PasskeyOf, PasskeyRow } from "../people-repository";
import type { SignedIn } from "../sessions";
import { type Answered, Ceremonies, type CreationOptions, type RequestOptions } from "./ceremonies";
import { MOST_PER_PERSON, noPasskey, staleAnswer, tooManyPasskeys, unknownPasskey } from "./refusals";
import type { Passkey, RegistrationAnswer, SignInAnswer } from "./schema";

/** A new passkey: what the browser has sent, and how the person calls the device. */
export interface NewPasskey {
  answer: RegistrationAnswer;
  name: string;
}

interface Person {
  projectId: string;
  userId: string;
}

export class Passkeys {
  readonly #core: Core;
  readonly #parts: PeopleParts;
  readonly #invitations: Invitations;
  readonly #ceremonies: Ceremonies;
  readonly #deletionTime: DeletionTime;

  constructor(core: Core, parts: PeopleParts, invitations: Invitations) {
    this.#core = core;
    this.#parts = parts;
    this.#invitations = invitations;
    this.#ceremonies = new Ceremonies(core);
    this.#deletionTime = new DeletionTime(core.clock);
  }

  /** What the browser needs to ask for a passkey. Throws `forbidden` where people sign in otherwise. */
  async signInOptions(projectId: string, { cookie }: Browser): Promise<RequestOptions> {
    await requirePasskeyMethod(this.#parts, projectId);
    return this.#ceremonies.requestOptions(projectId, cookie);
  }

  /**
   * Signs in. Returns the cookie of the session. Throws `forbidden` for a passkey that is not known in the project, an answer
   * that is not valid, was sent before or has expired, one of another browser, and a suspended user.
   */
  async signIn(projectId: string, browser: Browser, answer: SignInAnswer): Promise<string> {
    await requirePasskeyMethod(this.#parts, projectId);
    const row = await repository.findPasskey(this.#core.store, projectId, answer.id);
    if (row === undefined) throw unknownPasskey();
    const answered = await this.#ceremonies.checkSignIn(row, answer, browser.cookie);
    await this.#parts.suspensions.check(projectId, row.user_id);
    const use = this.#using(projectId, answered);
    const now = this.#core.clock.now();
    const startedBy = `passkey ${answered.challenge}`;
    return this.#begin({ projectId, userId: row.user_id }, browser, startedBy, function* () {
      yield* use();
      if (!(yield* repository.countPasskey(row, answered.counter, now))) throw unknownPasskey();
    });
  }

  /** What the browser of an invited person needs to make a passkey. Throws `not_found` for a link that does not work. */
  async invitationOptions(token: string, { cookie }: Browser): Promise<CreationOptions> {
    const link = await this.#openLink(token);
    return this.#creationOptions(link, link.name, cookie);
  }

  /** Sets the passkey of an invited person, uses the link up and signs in. Throws as `invitationOptions` and `add`. */
  async acceptInvitation(
    token: string,
    browser: Browser,
    passkey: NewPasskey,
  ): Promise<{ projectId: string; cookie: string }> {
    const link = await this.#openLink(token);
    const { row, projectId, userId } = link;
    const add = await this.#adding(link, browser, passkey);
    const now = this.#core.clock.now();
    const cookie = await this.#begin(link, browser, `link ${row.hash}`, function* () {
      if (!(yield* repository.useLink(row, now))) throw unknownLink();
      yield* add({ kind: "user", projectId, userId, address: browser.address });
    });
    return { projectId, cookie };
  }

  /** What the browser of a person who is signed in needs to make a further passkey. */
  async addOptions(person: SignedIn, { cookie }: Browser): Promise<CreationOptions> {
    await requirePasskeyMethod(this.#parts, person.projectId);
    const known = await repository.findPerson(this.#core.store, person.projectId, person.userId);
    if (known === undefined) throw forbidden("Only people who were invited can have passkeys.");
    return this.#creationOptions(person, known.name ?? undefined, cookie);
  }

  /**
   * Adds a passkey of a person who is signed in. Throws `forbidden` for an answer that is not valid, was sent before, has
   * expired or is another browser's or person's, `already_exists` for a known passkey, and `invalid_parameter` for one too many.
   */
  async add(person: SignedIn, browser: Browser, passkey: NewPasskey): Promise<void> {
    const { projectId, userId } = person;
    await requirePasskeyMethod(this.#parts, projectId);
    const add = await this.#adding(person, browser, passkey);
    const { address } = browser;
    await this.#core.store.write(() => add({ kind: "user", projectId, userId, address }));
  }

  /** The passkeys of a person, the oldest first. */
  async list({ projectId, userId }: Person): Promise<Passkey[]> {
    return (await repository.passkeysOf(this.#core.store, projectId, userId)).map(recordOf);
  }

  /** Throws `not_found` unless the person has this passkey. */
  async rename(principal: Principal, of: PasskeyOf, name: string): Promise<void> {
    await this.#change(principal, "passkey.rename", of, () => repository.renamePasskey(of, name));
  }

  /** Throws `not_found` unless the person has this passkey. The last one may go: a new invitation brings the person back. */
  async remove(principal: Principal, of: PasskeyOf): Promise<void> {
    await this.#change(principal, "passkey.remove", of, () => repository.removePasskey(of));
  }

  async #change(principal: Principal, action: string, of: PasskeyOf, change: () => Transaction<number>) {
    const { audit } = this.#parts;
    await this.#core.store.write(function* (): Transaction<void> {
      if ((yield* change()) === 0) throw noPasskey();
      yield* audit.record(principal, action, of.projectId, { user: of.userId });
    });
  }

  async #openLink(token: string): Promise<OpenedLink> {
    const link = await this.#invitations.require(token);
    if (link.kind !== "passkey") throw unknownLink();
    await this.#invitations.requireUsable(link);
    return link;
  }

  async #creationOptions({ projectId, userId }: Person, name: string | undefined, browser: string) {
    const known = await repository.passkeysOf(this.#core.store, projectId, userId);
    if (known.length >= MOST_PER_PERSON) throw tooManyPasskeys();
    return this.#ceremonies.creationOptions({ projectId, userId, browser }, name, known);
  }

  /** The steps that store a new passkey, once it is checked. */
  async #adding({ projectId, userId }: Person, browser: Browser, { answer, name }: NewPasskey) {
    const owner = { projectId, userId, browser: browser.cookie };
    const { id, publicKey, counter, ...answered } = await this.#ceremonies.checkNew(owner, answer);
    const row: PasskeyRow = {
      project_id: projectId,
      user_id: userId,
      id,
      public_key: publicKey,
      counter,
      transports: JSON.stringify(answer.response.transports ?? []),
      name,
      created_at: this.#core.clock.now(),
      used_at: null,
    };
    const { audit } = this.#parts;
    const use = this.#using(projectId, answered);
    return function* (actor: Principal): Transaction<void> {
      yield* use();
      // The person may have been removed meanwhile.
      if ((yield* repository.personInTransaction(projectId, userId)) === undefined) throw unknownPasskey();
      if ((yield* repository.passkeysInTransaction(projectId, userId)).length >= MOST_PER_PERSON)
        throw tooManyPasskeys();
      if ((yield* repository.passkeyInTransaction(projectId, id)) !== undefined)
        throw alreadyExists("This passkey is known already. Use it to sign in.");
      yield* repository.addPasskey(row);
      yield* audit.record(actor, "passkey.add", projectId, { user: userId });
    };
  }

  #using(projectId: string, { challenge, expiresAt }: Answered): () => Transaction<void> {
    const { challenges } = this.#ceremonies;
    const deletionTime = this.#deletionTime;
    return function* () {
      // An answer must not work again because a clock that jumped ahead has deleted its challenge.
      const before = (yield* deletionTime.now()) ?? 0;
      if (!(yield* challenges.use(challenge, projectId, expiresAt, before))) throw staleAnswer();
    };
  }

  async #begin(
    { projectId, userId }: Person,
    { session, userAgent, address }: Browser,
    startedBy: string,
    also: () => Transaction<void>,
  ): Promise<string> {
    const started = { projectId, userId, method: "passkey", startedBy, userAgent, address } as const;
    const cookie = await this.#parts.sessions.begin(started, session, also);
    if (cookie === undefined) throw staleAnswer();
    return cookie;
  }
}

function recordOf({ id, user_id, name, created_at, used_at }: PasskeyRow): Passkey {
  return {
    id,
    user_id,
    name,
    created_at: timestamp(created_at),
    ...(used_at === null ? {} : { used_at: timestamp(used_at) }),
  };
}
