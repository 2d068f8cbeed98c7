// Validation of gateways beyond their schema.
import type { Settings } from "../config";
import { invalidParameter } from "../errors";
import { AUTH_TYPE_NAMES, KEY_AND_USER, OWN_SOURCE, USER_TOKEN } from "./compat";
import { isPassed } from "./headers";
import type { Fields } from "./record";

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Throws `invalid_parameter` if the gateway would be unusable or would forward a secret. `signIn`: how people sign in to its
 * project, if the project has a way of its own.
 */
export function checkGateway(settings: Settings, fields: Fields, signIn: string | null): void {
  checkAuthType(settings, fields, signIn);
  checkHeaders(fields);
  checkGroups(fields);
}

/** A restriction that is not applied must not be stored. */
function checkGroups({ auth_type, allowed_groups }: Fields): void {
  if (allowed_groups === null || auth_type === USER_TOKEN) return;
  throw invalidParameter(
    `allowed_groups needs auth_type "${USER_TOKEN}" (${AUTH_TYPE_NAMES[USER_TOKEN]}): groups are those of people who sign in here. ` +
      "Leave it out, or change auth_type.",
  );
}

function checkAuthType(
  settings: Settings,
  { auth_type, user_source_id }: Fields,
  signIn: string | null,
): void {
  const signsIn = (signIn ?? settings.sign_in ?? "none") !== "none";
  if (auth_type === USER_TOKEN && settings["auth.url"] === undefined && !signsIn) {
    throw invalidParameter(
      `auth_type "${USER_TOKEN}" (${AUTH_TYPE_NAMES[USER_TOKEN]}) needs people who sign in (sign_in) or an OpenID provider, and auth.url is not set. ` +
        `Set one of them (RUNTIME_SIGN_IN, RUNTIME_AUTH_URL), or use auth_type "${KEY_AND_USER}" (${AUTH_TYPE_NAMES[KEY_AND_USER]}).`,
    );
  }
  if (auth_type !== OWN_SOURCE) return;
  if (user_source_id === null) {
    throw invalidParameter(
      `auth_type "${OWN_SOURCE}" needs user_source_id, the id of an entry of user_sources.`,
    );
  }
  if (settings.user_sources.some(({ id }) => id === user_source_id)) return;
  throw invalidParameter(
    "user_source_id is not in user_sources of the configuration file. Add it there first.",
  );
}

function checkHeaders({ passthrough_headers }: Fields): void {
  const names: string[] = passthrough_headers === null ? [] : JSON.parse(passthrough_headers);
  if (names.some((name) => !HEADER_NAME.test(name))) {
    throw invalidParameter("allowed_passthrough_headers must be a list of header names.");
  }
  const refused = names.find((name) => !isPassed(name.toLowerCase()));
  if (refused === undefined) return;
  throw invalidParameter(
    `allowed_passthrough_headers: ${refused.toLowerCase()} is never forwarded. Remove it.`,
  );
}
