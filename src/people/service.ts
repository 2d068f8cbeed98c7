// Who people are in a project: whether they can sign in, their role and their groups. Asked with every request of theirs.
import type { Core } from "../core";
import type { PersonRole, SignInMethod } from "../identity";
import { CachedByGeneration } from "../store";
import type { Groups } from "./groups";
import { findRole } from "./identity-repository";
import type { Methods } from "./methods";
import { knownRole, roleOfGroups } from "./roles";
import type { Sessions, SignedIn } from "./sessions";
import { methodOfSession } from "./terms";

const NONE: readonly string[] = [];

export class People {
  readonly #core: Core;
  readonly #methods: Methods;
  readonly #groups: Groups;
  readonly #sessions: Sessions;
  /** Of invited people; null: not invited. */
  readonly #roles: CachedByGeneration<string, PersonRole | null>;

  constructor(core: Core, parts: { methods: Methods; groups: Groups; sessions: Sessions }) {
    this.#core = core;
    this.#methods = parts.methods;
    this.#groups = parts.groups;
    this.#sessions = parts.sessions;
    this.#roles = new CachedByGeneration(core.store, "people");
  }

  /** How people sign in to a project; `none` for one that does not exist. */
  readonly methodOf = (projectId: string): Promise<SignInMethod> => this.#methods.of(projectId);

  /** As `Methods.endFormer`. */
  endFormerSignIns(): Promise<void> {
    return this.#methods.endFormer();
  }

  /** The role of a user whose token the OpenID provider has issued; undefined: people do not sign in there. */
  async roleOfToken(projectId: string, userId: string): Promise<PersonRole | undefined> {
    return (await this.#methods.of(projectId)) === "oidc" ? this.roleOf(projectId, userId) : undefined;
  }

  /**
   * The role of a person: that of the invitation, else the highest of the person's groups (`auth.roles`), else `member`.
   * Where people do not sign in, all are members.
   */
  async roleOf(projectId: string, userId: string): Promise<PersonRole> {
    if ((await this.#methods.of(projectId)) === "none") return "member";
    const invited = await this.#invitedRole(projectId, userId);
    if (invited !== null) return invited;
    const { "auth.roles": roles } = this.#core.settings;
    if (roles.length === 0) return "member";
    return roleOfGroups(roles, await this.groupsOf(projectId, userId)) ?? "member";
  }

  /** The groups of a person at the provider, at most five minutes old; none if they cannot be read. */
  readonly groupsOf = async (projectId: string, userId: string): Promise<readonly string[]> => {
    const method = await this.#methods.of(projectId);
    if (method === "oidc") return this.#groups.ofProvider(projectId, userId);
    return method === "proxy" ? this.#groups.ofProxy(projectId, userId) : NONE;
  };

  /** Whether the person can sign in: with passkeys only invited people can, elsewhere everybody whom the provider names. */
  async isKnown(projectId: string, userId: string): Promise<boolean> {
    const method = await this.#methods.of(projectId);
    if (method === "none") return false;
    return method !== "passkey" || (await this.#invitedRole(projectId, userId)) !== null;
  }

  /**
   * Who is signed in with this cookie. A session counts only as long as people sign in as they did when it began, and the
   * person is still known.
   */
  async signedIn(projectId: string, cookie: string | undefined): Promise<SignedIn | undefined> {
    const person = await this.#sessions.find(projectId, cookie);
    if (person === undefined) return undefined;
    const method = await this.#methods.of(projectId);
    return methodOfSession(person.method) === method && (await this.isKnown(projectId, person.userId))
      ? person
      : undefined;
  }

  /** Waits until what the provider has returned is stored. */
  close(): Promise<void> {
    return this.#groups.close();
  }

  async #invitedRole(projectId: string, userId: string): Promise<PersonRole | null> {
    // Project ids contain no spaces.
    return this.#roles.get(`${projectId} ${userId}`, async () => {
      const role = await findRole(this.#core.store, projectId, userId);
      return role === undefined ? null : knownRole(role);
    });
  }
}
