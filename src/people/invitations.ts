// Invited people: their role in a project, and the one-time links with which they begin. A link sets a passkey, or signs in once
// where passkeys cannot work. The first who uses it is taken for the person.
import { actorOf, type Audit } from "../audit";
import { checkCallerId, checkUserId, timestamp } from "../base";
import type { Core } from "../core";
import { hashOf, newToken } from "../crypto";
import { forbidden, invalidParameter, notFound } from "../errors";
import type { PersonRole, Principal, SignInMethod, Suspensions } from "../identity";
import { DeletionTime, type Transaction } from "../store";
import type { Browser } from "./browser";
import { endAccess } from "./end-access";
import type { Methods } from "./methods";
import { relyingPartyOf } from "./passkeys/relying-party";
import * as repository from "./people-repository";
import type { LinkKind, LinkRow, PersonRow } from "./people-repository";
import type { Invitation, InvitationLink, PersonChange, PersonState, RemovedPerson } from "./schema";
import type { Sessions } from "./sessions";

const DAY_MS = 86_400_000;
/** How long a link works. */
const LIFETIME_MS: Readonly<Record<LinkKind, number>> = { passkey: 7 * DAY_MS, session: 15 * 60_000 };

export interface PeopleParts {
  audit: Audit;
  sessions: Sessions;
  suspensions: Suspensions;
  methods: Pick<Methods, "of">;
}

/** A link that works, and whom it is for. */
export interface OpenedLink {
  row: LinkRow;
  projectId: string;
  userId: string;
  name: string | undefined;
  role: PersonRole;
  kind: LinkKind;
}

export class Invitations {
  readonly #core: Core;
  readonly #parts: PeopleParts;
  readonly #deletionTime: DeletionTime;

  constructor(core: Core, parts: PeopleParts) {
    this.#core = core;
    this.#parts = parts;
    this.#deletionTime = new DeletionTime(core.clock);
  }

  /**
   * Invites a person, or gives a known one a new link; former links stop working, passkeys stay. Throws `invalid_parameter`
   * for an id that is not valid, and where people do not sign in.
   */
  async invite(principal: Principal, { user_id, role, name }: Invitation): Promise<InvitationLink> {
    checkCallerId(user_id);
    const { projectId } = principal;
    const method = await this.#parts.methods.of(projectId);
    if (method === "none")
      throw invalidParameter(
        "People do not sign in to this project. Set sign_in to passkey, restart the server, then invite them.",
      );
    const { audit } = this.#parts;
    const deletionTime = this.#deletionTime;
    const now = this.#core.clock.now();
    const token = newToken(this.#core.random);
    const link = method === "passkey" ? this.#linkOf(principal, user_id, token) : undefined;
    const person = await this.#core.store.write(function* (): Transaction<PersonRow> {
      const known = yield* repository.personInTransaction(projectId, user_id);
      const kept: PersonRow = {
        project_id: projectId,
        user_id,
        role: role ?? known?.role ?? "member",
        name: name ?? known?.name ?? null,
        created_at: known?.created_at ?? now,
        created_by: known?.created_by ?? actorOf(principal),
      };
      yield* repository.keepPerson(kept);
      if (link !== undefined) yield* repository.replaceLinks(link, yield* deletionTime.now());
      yield* audit.record(principal, "user.invite", projectId, {
        user: user_id,
        details: { role: kept.role, ...(link === undefined ? {} : { link: link.kind }) },
      });
      return kept;
    });
    return { user_id, role: person.role, ...this.#shown(method, link, token) };
  }

  /** Changes role or name of an invited person, from the next request on. Throws `not_found`. */
  async update(principal: Principal, { user_id, role, name }: PersonChange): Promise<PersonState> {
    checkCallerId(user_id);
    const { projectId } = principal;
    const { audit } = this.#parts;
    return this.#core.store.write(function* (): Transaction<PersonState> {
      const known = yield* repository.personInTransaction(projectId, user_id);
      if (known === undefined) throw unknownPerson();
      const next = { ...known, role: role ?? known.role, name: name ?? known.name };
      yield* repository.keepPerson(next);
      yield* audit.record(principal, "user.update", projectId, {
        user: user_id,
        before: { role: known.role },
        after: { role: next.role },
      });
      return { user_id, role: next.role, ...(next.name === null ? {} : { name: next.name }) };
    });
  }

  /**
   * Removes a person: sessions, clients, links and passkeys stop working with the next request on every server. What is stored
   * about the user stays. Throws `not_found`.
   */
  async remove(principal: Principal, userId: string): Promise<RemovedPerson> {
    checkUserId(userId);
    const { projectId } = principal;
    const { audit } = this.#parts;
    return this.#core.store.write(function* (): Transaction<RemovedPerson> {
      const passkeys = (yield* repository.passkeysInTransaction(projectId, userId)).length;
      const ended = yield* endAccess(projectId, userId);
      const existed = yield* repository.removePerson(projectId, userId);
      if (!existed && ended.sessions + ended.clients === 0) throw unknownPerson();
      yield* audit.record(principal, "user.remove", projectId, { user: userId });
      return { user_id: userId, passkeys, ...ended };
    });
  }

  /** What a link is for; undefined if it is unknown, was used, or has expired. */
  async open(token: string): Promise<OpenedLink | undefined> {
    const { store, clock } = this.#core;
    const row = await repository.findLink(store, hashOf(token));
    if (row === undefined || row.expires_at <= clock.now()) return undefined;
    const { project_id: projectId, user_id: userId, kind } = row;
    const person = await repository.findPerson(store, projectId, userId);
    if (person === undefined) return undefined;
    return { row, projectId, userId, kind, role: person.role, name: person.name ?? undefined };
  }

  /** As `open`. Throws `not_found` for a link that does not work. */
  async require(token: string): Promise<OpenedLink> {
    const link = await this.open(token);
    if (link === undefined) throw unknownLink();
    return link;
  }

  /**
   * Signs in with a link of the kind `session`, which is used up. Returns the cookie of the session. Throws `not_found` for a
   * link that does not work, and `forbidden` for a suspended user or where people sign in otherwise now.
   */
  async signIn(token: string, browser: Browser): Promise<{ projectId: string; cookie: string }> {
    const link = await this.require(token);
    if (link.kind !== "session") throw unknownLink();
    await this.requireUsable(link);
    const now = this.#core.clock.now();
    const { projectId, userId, row } = link;
    const cookie = await this.#parts.sessions.begin(
      {
        projectId,
        userId,
        method: "link",
        startedBy: `link ${row.hash}`,
        userAgent: browser.userAgent,
        address: browser.address,
      },
      browser.session,
      function* (): Transaction<void> {
        if (!(yield* repository.useLink(row, now))) throw unknownLink();
      },
    );
    if (cookie === undefined) throw unknownLink();
    return { projectId, cookie };
  }

  /** Throws `forbidden` for a suspended user, and where people no longer sign in with links and passkeys. */
  async requireUsable({ projectId, userId }: Pick<OpenedLink, "projectId" | "userId">): Promise<void> {
    await requirePasskeyMethod(this.#parts, projectId);
    await this.#parts.suspensions.check(projectId, userId);
  }

  #linkOf(principal: Principal, userId: string, token: string): LinkRow {
    const { clock } = this.#core;
    const kind = "id" in relyingPartyOf(this.#core.publicUrl()) ? "passkey" : "session";
    const now = clock.now();
    return {
      project_id: principal.projectId,
      user_id: userId,
      hash: hashOf(token),
      kind,
      created_at: now,
      created_by: actorOf(principal),
      expires_at: now + LIFETIME_MS[kind],
    };
  }

  #shown(
    method: SignInMethod,
    link: LinkRow | undefined,
    token: string,
  ): Omit<InvitationLink, "user_id" | "role"> {
    if (link === undefined)
      return { note: `People sign in to this project with ${method}, so no link is needed.` };
    const party = relyingPartyOf(this.#core.publicUrl());
    return {
      kind: link.kind,
      link: linkAddress(this.#core.publicUrl(), token),
      expires_at: timestamp(link.expires_at),
      ...("reason" in party
        ? { note: `${party.reason} This link signs the person in once, within 15 minutes.` }
        : {}),
    };
  }
}

/** Where a one-time link leads: on loopback to `localhost`, because its page may set a passkey. */
function linkAddress(publicUrl: string, token: string): string {
  const party = relyingPartyOf(publicUrl);
  const url = new URL(publicUrl);
  const origin = "origin" in party ? party.origin : url.origin;
  return `${origin}${url.pathname.replace(/\/$/, "")}/sign-in/link/${token}`;
}

/** Throws `forbidden` unless people sign in to the project with passkeys. */
export async function requirePasskeyMethod(
  { methods }: Pick<PeopleParts, "methods">,
  projectId: string,
): Promise<void> {
  if ((await methods.of(projectId)) !== "passkey")
    throw forbidden("People do not sign in to this project with passkeys or links. Ask its administrator.");
}

export function unknownLink(): Error {
  return notFound(
    "This link does not work: it was used, has expired, or was replaced by a newer one. Ask for a new invitation.",
  );
}

function unknownPerson(): Error {
  return notFound("There is no person with this id in the project. To invite one: runtime users invite USER");
}
