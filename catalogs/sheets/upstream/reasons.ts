// Every reason and status that the platform documents for a refused call: what it means to the caller, and what to tell.
// From google/rpc/code.proto, google/api/error_reason.proto, and the pages on errors of the two interfaces. With an answer
// below HTTP 500 nothing was done; above it, the outcome of a write is not known.

/**
 * disabled: the operator must change something. scope: a permission of the grant. dead: the grant. quota: too many calls.
 * file: access to the file. organization: a rule of its administrators. full: no room at the platform. general: says no more
 * than the HTTP status. failed: the platform.
 */
export type Meaning =
  "disabled" | "scope" | "dead" | "quota" | "file" | "organization" | "full" | "general" | "failed";

export interface Reason {
  meaning: Meaning;
  sentence: string;
  /** What to do, for the model. */
  next: string;
}

const OPERATOR = "Tell the user: the operator of this server must change this at the platform.";
const ADMINISTRATOR = "Tell the user: an administrator of the organization must allow this.";
const LATER = "Call again later with the same input.";
const ROOM = "Tell the user: there must be room first.";

const of = (meaning: Meaning, next: string, rows: Readonly<Record<string, string>>): [string, Reason][] =>
  Object.entries(rows).map(([reason, sentence]) => [reason, { meaning, sentence, next }]);

const same = (sentence: string, reasons: readonly string[]): Record<string, string> =>
  Object.fromEntries(reasons.map((reason) => [reason, sentence]));

export const REASONS: ReadonlyMap<string, Reason> = new Map([
  ...of("disabled", OPERATOR, {
    ...same("An API of the platform is disabled for this application.", [
      "SERVICE_DISABLED",
      "accessNotConfigured",
      "SERVICE_NOT_VISIBLE",
      "MCP_SERVER_DISABLED",
    ]),
    ...same("The application's project at the platform is not in order.", [
      "BILLING_DISABLED",
      "CONSUMER_SUSPENDED",
      "CONSUMER_INVALID",
      "USER_PROJECT_DENIED",
      "RESOURCE_PROJECT_INVALID",
      "GCP_SUSPENDED",
      "EMULATOR_QUOTA_EXCEEDED",
    ]),
    ...same("The platform does not accept the credentials of the application.", [
      "API_KEY_INVALID",
      "API_KEY_SERVICE_BLOCKED",
      "API_KEY_HTTP_REFERRER_BLOCKED",
      "API_KEY_IP_ADDRESS_BLOCKED",
      "API_KEY_ANDROID_APP_BLOCKED",
      "API_KEY_IOS_APP_BLOCKED",
      "CREDENTIAL_ANDROID_APP_INVALID",
      "CREDENTIAL_TYPE_UNSUPPORTED",
      "OVERLOADED_CREDENTIALS",
      "JWT_TOKEN_INVALID",
      "SESSION_COOKIE_INVALID",
      "MISSING_ORIGIN",
    ]),
    ...same("The platform does not accept the form of the request.", [
      "SYSTEM_PARAMETER_UNSUPPORTED",
      "UNIMPLEMENTED",
    ]),
  }),
  ...of("scope", "The user must authorize again. Do not call again before.", {
    ...same("The user's grant lacks a permission.", [
      "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
      "insufficientPermissions",
      "insufficient_scope",
    ]),
  }),
  ...of("dead", "The user must authorize again. Do not call again before.", {
    ...same("The platform does not accept the user's token.", [
      "UNAUTHENTICATED",
      "ACCESS_TOKEN_EXPIRED",
      "ACCESS_TOKEN_TYPE_UNSUPPORTED",
      "CREDENTIALS_MISSING",
      "ACCOUNT_STATE_INVALID",
      "authError",
    ]),
  }),
  ...of("quota", LATER, {
    ...same("The platform's rate limit is reached.", [
      "RATE_LIMIT_EXCEEDED",
      "RESOURCE_QUOTA_EXCEEDED",
      "RESOURCE_EXHAUSTED",
      "rateLimitExceeded",
      "userRateLimitExceeded",
      "dailyLimitExceeded",
      "sharingRateLimitExceeded",
    ]),
  }),
  ...of("file", "Check `spreadsheet_id`, and whether the user has access to the spreadsheet.", {
    ...same("The user, or this application, has no access to the file.", [
      "insufficientFilePermissions",
      "appNotAuthorizedToFile",
      "cannotModifyViewersCanCopyContent",
      "fileNotDownloadable",
      "teamDriveMembershipRequired",
    ]),
  }),
  ...of("organization", ADMINISTRATOR, {
    ...same("A rule of the organization does not allow this.", [
      "domainPolicy",
      "USER_BLOCKED_BY_ADMIN",
      "SECURITY_POLICY_VIOLATED",
      "LOCATION_TAX_POLICY_VIOLATED",
      "LOCATION_POLICY_VIOLATED",
      "LOCATION_ORG_POLICY_VIOLATED",
      "TLS_ORG_POLICY_VIOLATED",
      "TLS_CIPHER_RESTRICTION_VIOLATED",
      "RESOURCE_USAGE_RESTRICTION_VIOLATED",
      "ENDPOINT_USAGE_RESTRICTION_VIOLATED",
      "ORG_RESTRICTION_VIOLATION",
      "ORG_RESTRICTION_HEADER_INVALID",
    ]),
    ACCOUNT_TYPE_UNSUPPORTED: "The platform does not offer this to accounts of this kind.",
  }),
  ...of("full", ROOM, {
    storageQuotaExceeded: "The storage of the user, or of the organization, is full.",
    activeItemCreationLimitExceeded: "The user owns as many files as the platform allows.",
    ...same("The folder or shared drive is full.", [
      "numChildrenInNonRootLimitExceeded",
      "teamDriveFileLimitExceeded",
      "teamDriveHierarchyTooDeep",
    ]),
  }),
  // The HTTP status decides; the platform's message says what is wrong.
  ...of("general", "Correct what the message names and call again.", {
    ...same("The platform refused the request.", [
      "INVALID_ARGUMENT",
      "FAILED_PRECONDITION",
      "OUT_OF_RANGE",
      "ALREADY_EXISTS",
      "PERMISSION_DENIED",
      "IAM_PERMISSION_DENIED",
      "NOT_FOUND",
      "badRequest",
      "invalidSharingRequest",
      "notFound",
      "forbidden",
    ]),
  }),
  ...of("failed", LATER, {
    ...same("The platform failed.", [
      "CANCELLED",
      "UNKNOWN",
      "DEADLINE_EXCEEDED",
      "ABORTED",
      "INTERNAL",
      "UNAVAILABLE",
      "DATA_LOSS",
      "backendError",
      "internalError",
    ]),
  }),
]);

/** The most specific first. */
const ORDER: readonly Meaning[] = ["disabled", "scope", "quota", "file", "organization", "full"];

/** The reason of a status 403 that says the most; undefined if none says more than the status. */
export function reasonOf(reasons: readonly string[]): Reason | undefined {
  const known = reasons.flatMap((reason) => REASONS.get(reason) ?? []);
  return ORDER.flatMap((meaning) => known.filter((reason) => reason.meaning === meaning))[0];
}
