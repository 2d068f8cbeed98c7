// What a gateway may be here, beyond the form of its record.
import type { Settings } from "../config";
import { invalidParameter } from "../errors";
import { AUTH_TYPE_NAMES, KEY_AND_USER, OWN_SOURCE, USER_TOKEN } from "./compat";
import type { Fields } from "./record";

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Names that carry credentials of the gateway itself, or belong to one connection only (RFC 9110, section 7.6.1). */
const KEPT_BACK: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "cookie",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Throws `invalid_parameter` with what to do when nobody could use the gateway, or when it would give a secret on. */
export function checkGateway(settings: Settings, fields: Fields): void {
  checkAuthType(settings, fields);
  checkHeaders(fields);
}

function checkAuthType(settings: Settings, { auth_type, user_source_id }: Fields): void {
  if (auth_type === USER_TOKEN && settings["auth.url"] === undefined) {
    throw invalidParameter(
      `auth_type "${USER_TOKEN}" (${AUTH_TYPE_NAMES[USER_TOKEN]}) needs an OpenID provider, and auth.url is not set. ` +
        `Set auth.url (RUNTIME_AUTH_URL), or give auth_type "${KEY_AND_USER}" (${AUTH_TYPE_NAMES[KEY_AND_USER]}).`,
    );
  }
  if (auth_type !== OWN_SOURCE) return;
  if (user_source_id === null) {
    throw invalidParameter(`auth_type "${OWN_SOURCE}" needs user_source_id: which of user_sources is meant.`);
  }
  if (settings.user_sources.some(({ id }) => id === user_source_id)) return;
  throw invalidParameter("user_source_id is none of user_sources in the configuration file of this server.");
}

function checkHeaders({ passthrough_headers }: Fields): void {
  const names: string[] = passthrough_headers === null ? [] : JSON.parse(passthrough_headers);
  if (names.some((name) => !HEADER_NAME.test(name))) {
    throw invalidParameter("allowed_passthrough_headers must hold names of headers.");
  }
  const kept = names.find((name) => KEPT_BACK.has(name.toLowerCase()));
  if (kept === undefined) return;
  throw invalidParameter(`allowed_passthrough_headers: ${kept.toLowerCase()} is never handed on.`);
}
