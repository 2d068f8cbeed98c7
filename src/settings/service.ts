// Session verification: checks that the browser of a consent belongs to the user of the flow.
import { isLoopback } from "../base";
import type { Audit } from "../audit";
import type { Core } from "../core";
import { forbidden, invalidParameter } from "../errors";
import type { Principal } from "../identity";
import { isListedOrigin } from "../origins";
import { type Change, makeChange, type Transaction } from "../store";
import * as repository from "./repository";
import type { SettingsRow } from "./repository";
import type { SessionVerification, UpdateSessionVerification } from "./schema";

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

  /** The settings of a project, or the defaults. */
  async of(projectId: string): Promise<SessionVerification> {
    return this.#record(await repository.findSettings(this.#core.store, projectId));
  }

  /**
   * Changes the given fields. Throws `invalid_parameter` for an invalid verifier address, `forbidden` if the deployment
   * does not allow to skip the check.
   */
  async update(principal: Principal, request: UpdateSessionVerification): Promise<SessionVerification> {
    return this.#record(await makeChange(this.#core.store, this.change(principal, request)));
  }

  /** `update` as a part of a transaction. */
  change(principal: Principal, request: UpdateSessionVerification): Change<SettingsRow> {
    const allowed = this.#core.settings.unsafe_skip_verification_allowed;
    if (request.unsafe_skip_verification === true && !allowed) {
      throw forbidden(
        "This deployment does not allow skipping the user check (unsafe_skip_verification_allowed is false).",
      );
    }
    const verifierUrl = verifierUrlOf(request.verifier_url, this.#core.settings["redirects.allow"]);
    return { body: () => this.#update(principal, request, verifierUrl) };
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
    yield* this.#audit.record(principal, "session_verification.update", projectId, {
      details,
      ...(before === undefined ? {} : { before: auditedSettings(before) }),
      after: auditedSettings(row),
    });
    return row;
  }

  #record(row: SettingsRow | undefined): SessionVerification {
    const allowed = this.#core.settings.unsafe_skip_verification_allowed;
    return {
      verifier_url: row?.verifier_url ?? null,
      // If the operator no longer allows it, the check applies again.
      unsafe_skip_verification: allowed && row?.unsafe_skip === 1,
      unsafe_skip_verification_choice_allowed: allowed,
    };
  }
}

function auditedSettings({ verifier_url, unsafe_skip }: SettingsRow): object {
  return { verifier_url, unsafe_skip_verification: unsafe_skip === 1 };
}

// Undefined: unchanged. Forms send an empty text for no value.
function verifierUrlOf(
  text: string | null | undefined,
  listed: readonly string[],
): string | null | undefined {
  if (text === undefined) return undefined;
  return text === null || text === "" ? null : checkVerifierUrl(text, listed);
}

/**
 * The normalized address of a customer's verifier, to which browsers are sent with a flow id: https, or http to this
 * machine and to listed origins. If origins are listed, it must be at one of them. Throws `invalid_parameter`.
 */
export function checkVerifierUrl(text: string, listed: readonly string[]): string {
  // Browsers accept extra slashes before the host; other parsers read an empty host.
  const url = /^https?:\/\/[^\s\\/?#][^\s\\]*$/i.test(text) ? URL.parse(text) : null;
  if (url === null) throw invalidParameter("verifier_url must be an absolute http or https address.");
  if (url.username !== "" || url.password !== "")
    throw invalidParameter("verifier_url must not contain a user name or password.");
  // An empty one too, which the parsed address does not show.
  if (text.includes("#")) throw invalidParameter("verifier_url must not contain a fragment (#).");
  const isListed = isListedOrigin(url, listed);
  if (listed.length > 0 && !isListed) {
    throw invalidParameter(
      "The origin of verifier_url (scheme, host and port) is not in redirects.allow. The operator can add it.",
    );
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !isListed) {
    throw invalidParameter(
      "verifier_url must use https, unless its host is this machine or its origin is in redirects.allow.",
    );
  }
  return url.href;
}
