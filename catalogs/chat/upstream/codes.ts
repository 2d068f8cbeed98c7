// The platform's error codes by their meaning to the caller, from its public documentation of the methods.

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

/** The meaning of a code; undefined for an unknown one. */
export function meaningOf(code: string): Meaning | undefined {
  return MEANING[code] ?? FAMILIES.find(([pattern]) => pattern.test(code))?.[1];
}

const SENTENCES: Readonly<Record<string, string>> = {
  not_in_channel: "The user is not a member of this conversation and must join it first.",
  is_archived: "This conversation is archived.",
  user_disabled: "At least one of these people is deactivated.",
  cannot_dm_bot: "Direct messages to a bot are not possible.",
  invalid_user_combination: "The platform does not allow a conversation between these people.",
  message_limit_exceeded: "The workspace has reached its message limit.",
  no_text: "The message is empty.",
  too_many_users: "There are too many people for one conversation.",
  invalid_cursor: "The cursor has expired. Start again without `next_cursor`.",
};

/** A sentence for the user about a code; undefined if there is only its name. */
export function sentenceFor(code: string): string | undefined {
  return SENTENCES[code];
}

function each(meaning: Meaning, codes: readonly string[]): Record<string, Meaning> {
  return Object.fromEntries(codes.map((code) => [code, meaning]));
}
