// Session verification: who checks that the browser of a consent belongs to the user of the flow.
import type { Audit } from "../audit";
import type { Core } from "../core";
import { forbidden } from "../errors";
import type { Principal } from "../identity";
import type { Transaction } from "../store";
import * as repository from "./repository";
import type { SettingsRow } from "./repository";
import type { SessionVerification, UpdateSessionVerification } from "./schema";
import { checkVerifierUrl } from "./verifier-url";

export class SessionSettings {
  readonly #core: Core;
  readonly #audit: Audit;

  constructor(core: Core, audit: Audit) {
    this.#core = core;
    this.#audit = audit;
  }

  get(principal: Principal): Promise<SessionVerification> {
    return this.of(principal.projectId);
  }

  /** The settings that hold for a project; a project that never changed them has the defaults. */
  async of(projectId: string): Promise<SessionVerification> {
    return this.#record(await repository.findSettings(this.#core.store, projectId));
  }

  /**
   * Changes what is given. Throws `invalid_parameter` for an address that cannot be a verifier, `forbidden` when
   * skipping the check is asked for and this deployment does not allow that choice.
   */
  async update(principal: Principal, request: UpdateSessionVerification): Promise<SessionVerification> {
    const allowed = this.#core.settings.unsafe_skip_verification_allowed;
    if (request.unsafe_skip_verification === true && !allowed) {
      throw forbidden(
        "This deployment does not allow to skip the user check (unsafe_skip_verification_allowed).",
      );
    }
    const verifierUrl = verifierUrlOf(request.verifier_url, this.#core.settings["redirects.allow"]);
    const row = await this.#core.store.write(() => this.#update(principal, request, verifierUrl));
    return this.#record(row);
  }

  *#update(
    principal: Principal,
    request: UpdateSessionVerification,
    verifierUrl: string | null | undefined,
  ): Transaction<SettingsRow> {
    const { projectId } = principal;
    const before = yield* repository.settingsInTransaction(projectId);
    const skip = request.unsafe_skip_verification;
    const row: SettingsRow = {
      project_id: projectId,
      verifier_url: verifierUrl === undefined ? (before?.verifier_url ?? null) : verifierUrl,
      unsafe_skip: skip === undefined ? (before?.unsafe_skip ?? 0) : Number(skip),
      updated_at: this.#core.clock.now(),
    };
    yield* repository.putSettings(row);
    const details = { skip: row.unsafe_skip === 1, verifier: row.verifier_url !== null };
    yield* this.#audit.record(principal, "session_verification.update", projectId, details);
    return row;
  }

  #record(row: SettingsRow | undefined): SessionVerification {
    const allowed = this.#core.settings.unsafe_skip_verification_allowed;
    return {
      verifier_url: row?.verifier_url ?? null,
      // Once the operator withdraws the choice, a project that made it is checked again.
      unsafe_skip_verification: allowed && row?.unsafe_skip === 1,
      unsafe_skip_verification_choice_allowed: allowed,
    };
  }
}

// Not given: unchanged. Empty text is what forms send for nothing.
function verifierUrlOf(
  text: string | null | undefined,
  listed: readonly string[],
): string | null | undefined {
  if (text === undefined) return undefined;
  return text === null || text === "" ? null : checkVerifierUrl(text, listed);
}
