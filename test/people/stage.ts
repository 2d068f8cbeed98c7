// A deployment where people sign in with passkeys, and their browsers with passkeys in software.
import type { Invitation, InvitationLink } from "../../src/people";
import type { Principal } from "../../src/identity";
import { at } from "../support/api";
import { Browser } from "../support/browser";
import { type Asked, type Faults, SoftPasskey } from "../support/passkey";
import { type Site, startSite } from "../support/site";
import { type MovableClock, movableClock } from "../server/stage";

export interface PasskeySite extends AsyncDisposable {
  site: Site;
  clock: MovableClock;
  /** Where browsers use passkeys. */
  origin: string;
  operator: Principal;
  invite(request?: Partial<Invitation>, project?: string): Promise<InvitationLink>;
  person(): Person;
}

/** One browser with one authenticator. */
export class Person {
  readonly browser = new Browser();
  readonly passkey = new SoftPasskey();
  readonly #site: Pick<Site, "url">;
  readonly #origin: string;

  constructor(site: Pick<Site, "url">, origin: string) {
    this.#site = site;
    this.#origin = origin;
  }

  /** A request of the script. */
  async send(path: string, body: object, origin: string | undefined = this.#origin) {
    const response = await this.browser.open(this.#site.url + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(origin === undefined || origin === "" ? {} : { origin }),
      },
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json();
    return { status: response.status, body: answer, message: String(at(answer, "message")) };
  }

  async asked(path: string, body: object = {}): Promise<Asked> {
    // Checked by the authenticator, which reads it.
    return (await this.send(path, body)).body as Asked;
  }

  /** Sets the passkey of an invitation. */
  async accept(link: string, faults: Faults & { origin?: string } = {}) {
    const path = new URL(link).pathname;
    const asked = await this.asked(`${path}/options`);
    const answer = this.passkey.create(asked, faults.origin ?? this.#origin, faults);
    return this.send(`${path}/passkey`, { answer, name: "Laptop" });
  }

  signInOptions(project = "default"): Promise<Asked> {
    return this.asked("/sign-in/passkey/options", { project });
  }

  async signIn(project = "default", faults: Faults & { origin?: string } = {}) {
    const asked = await this.signInOptions(project);
    return this.verify(this.passkey.get(asked, faults.origin ?? this.#origin, faults), project);
  }

  verify(answer: object, project = "default") {
    return this.send("/sign-in/passkey/verify", { project, answer });
  }

  session(project = "default"): string | undefined {
    return this.browser.cookie(`runtime_session_${project}`);
  }
}

export async function startPasskeySite(environment: Record<string, string> = {}): Promise<PasskeySite> {
  const clock = movableClock();
  const site = await startSite({
    parts: { clock },
    environment: { RUNTIME_SIGN_IN: "passkey", RUNTIME_LIMITS_BAD_CREDENTIALS: "0", ...environment },
  });
  const { identity, invitations, core } = site.runtime;
  const operator = await identity.operator("default");
  await identity.createProject(operator, "other", "Other");
  const { origin } = new URL(core.publicUrl());
  return {
    site,
    clock,
    origin,
    operator,
    invite: async ({ user_id = "alice", ...more } = {}, project = "default") =>
      invitations.invite(await identity.operator(project), { user_id, ...more }),
    person: () => new Person(site, origin),
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}
