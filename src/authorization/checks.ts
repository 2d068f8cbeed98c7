// The user check of a consent that holds a grant: which one counts now, and its first step.
import type { Core } from "../core";
import { RuntimeError } from "../errors";
import type { SignInMethod } from "../identity";
import { signInPath } from "../people";
import type { SessionSettings } from "../settings";
import type { Finish } from "./finish";
import { addressOf, formCheckOf, openExchange, OTHER_USER, partiesOf } from "./flow";
import { type Outcome, UNKNOWN_STATE } from "./outcome";
import type { FlowRow } from "./repository";
import { type UserCheck, userCheckOf } from "./user-check";
import type { CustomVerifier } from "./verifier";
import type { Visitor } from "./visitor";

export interface CheckParts {
  settings: SessionSettings;
  /** How people sign in to a project. */
  methodOf: (projectId: string) => Promise<SignInMethod>;
}

export class UserChecks {
  readonly #core: Core;
  readonly #settings: SessionSettings;
  readonly #methodOf: CheckParts["methodOf"];
  readonly #finish: Finish;
  readonly #verifier: CustomVerifier;

  constructor(core: Core, parts: CheckParts & { finish: Finish; verifier: CustomVerifier }) {
    this.#core = core;
    this.#settings = parts.settings;
    this.#methodOf = parts.methodOf;
    this.#finish = parts.finish;
    this.#verifier = parts.verifier;
  }

  /** The current check. Undefined if the settings have changed and users are not verified any more. */
  async of(flow: FlowRow): Promise<UserCheck | undefined> {
    const session = await this.#settings.of(flow.project_id);
    const method = await this.#methodOf(flow.project_id);
    try {
      return userCheckOf(this.#core, session, method);
    } catch (error) {
      if (error instanceof RuntimeError) return undefined;
      throw error;
    }
  }

  /** Starts the current check, also for a browser that returns, so that no check can be bypassed. */
  async start(held: FlowRow, check: UserCheck | undefined, visitor: Visitor): Promise<Outcome> {
    const { by } = visitor;
    if (check === undefined)
      return this.#finish.fail(held, "user verification is not configured any more", by);
    if (check.kind === "verifier") return this.#verifier.start(held, check.url);
    if (check.kind === "sign_in") return this.#checkSession(held, visitor);
    return check.kind === "page" ? this.#confirmPage(held) : this.#finish.completeHeld(held, by);
  }

  /** The person who is signed in must be the user of the flow. Without one, the browser comes back after a sign-in. */
  async #checkSession(held: FlowRow, { by, signedInAs }: Visitor): Promise<Outcome> {
    const user = await signedInAs?.(held.project_id);
    if (user === held.user_id) return this.#finish.completeHeld(held, by);
    if (user !== undefined) return this.#finish.fail(held, OTHER_USER, by);
    if (held.sealed_address === null) return UNKNOWN_STATE;
    const publicUrl = this.#core.publicUrl();
    const to = (await addressOf(this.#core, held)).slice(publicUrl.length);
    return { kind: "redirect", location: publicUrl + signInPath(held.project_id, to) };
  }

  async #confirmPage(flow: FlowRow): Promise<Outcome> {
    const exchange = await openExchange(this.#core, flow);
    if (exchange === undefined || flow.sealed_address === null) return UNKNOWN_STATE;
    return {
      kind: "confirm",
      about: partiesOf(flow),
      userId: flow.user_id,
      scopes: JSON.parse(flow.scopes),
      // Only the path, so that the form stays on the page's host. It includes the path prefix of a proxy.
      action: new URL(await addressOf(this.#core, flow)).pathname,
      check: formCheckOf(exchange, "confirm"),
    };
  }
}
