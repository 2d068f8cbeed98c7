// The platform's error codes, by what they mean to the caller. The codes are those of its public method pages.

export type Meaning = "dead" | "scope" | "missing" | "throttled" | "refused" | "input" | "transient";

const MEANING: Readonly<Record<string, Meaning>> = {
  ...each("dead", ["invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"]),
  ...each("scope", ["missing_scope", "not_allowed_token_type", "no_permission"]),
  ...each("missing", ["user_not_visible"]),
  ...each("throttled", ["ratelimited", "rate_limited"]),
  ...each("refused", ["not_in_channel", "is_archived", "cannot_reply_to_message", "ekm_access_denied"]),
  ...each("refused", [
    "message_limit_exceeded",
    "user_disabled",
    "cannot_dm_bot",
    "invalid_user_combination",
  ]),
  ...each("input", ["no_text", "msg_too_long", "too_many_users", "invalid_arguments", "missing_argument"]),
  ...each("input", ["invalid_cursor", "invalid_limit", "invalid_types"]),
  ...each("transient", ["internal_error", "fatal_error", "service_unavailable", "request_timeout"]),
  ...each("transient", ["team_added_to_org", "org_login_required"]),
};

const FAMILIES: readonly (readonly [RegExp, Meaning])[] = [
  [/_not_found$/, "missing"],
  [/^restricted_action/, "refused"],
  [/^invalid_ts_/, "input"],
];

/** What a code means; undefined for one that nobody here knows. */
export function meaningOf(code: string): Meaning | undefined {
  return MEANING[code] ?? FAMILIES.find(([pattern]) => pattern.test(code))?.[1];
}

const SENTENCES: Readonly<Record<string, string>> = {
  not_in_channel: "The user is not a member of this conversation and must join it first.",
  is_archived: "This conversation is archived.",
  user_disabled: "At least one of these people is deactivated.",
  cannot_dm_bot: "A bot cannot be written to directly.",
  invalid_user_combination: "The platform does not allow a conversation of these people.",
  message_limit_exceeded: "The workspace has reached its limit of messages.",
  no_text: "The message is empty.",
  too_many_users: "These are too many people for one conversation.",
  invalid_cursor: "The cursor is stale: start over without `next_cursor`.",
};

/** What to tell a person about a code, where there is more to say than its name. */
export function sentenceFor(code: string): string | undefined {
  return SENTENCES[code];
}

function each(meaning: Meaning, codes: readonly string[]): Record<string, Meaning> {
  return Object.fromEntries(codes.map((code) => [code, meaning]));
}
