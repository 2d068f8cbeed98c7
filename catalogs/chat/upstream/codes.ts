// Every error code that the platform documents for the methods that are called: what it means to the caller, and what to
// tell. From the errors sections of the methods' pages (docs.slack.dev/reference/methods/…); codes that are not on them
// name their source.

import { MESSAGE_LIMIT } from "../limits";

/**
 * dead: the grant. scope: a permission of it. missing: what was addressed. refused: by the workspace's rules. organization:
 * its administrators must act. fault: a call that this catalog must not make. transient: later it may work.
 */
export type Meaning =
  "dead" | "scope" | "missing" | "throttled" | "refused" | "organization" | "input" | "fault" | "transient";

export interface Code {
  meaning: Meaning;
  /** What is wrong, for user and model. */
  sentence: string;
  /** What to do, for the model. Absent: the next step of all errors of this kind. */
  next?: string;
  /** Whether a write may have been done all the same. The platform says so of two codes only. */
  maybeDone?: true;
  /** Where the code is described, if not on the page of a method. */
  source?: string;
}

type Row = Omit<Code, "meaning">;

const TELL = "Tell the user. Do not call again before.";
const OTHER_PLACE = "Choose another conversation, or tell the user.";

const of = (meaning: Meaning, rows: Readonly<Record<string, string | Row>>): [string, Code][] =>
  Object.entries(rows).map(([code, row]) => [
    code,
    typeof row === "string" ? { meaning, sentence: row } : { meaning, ...row },
  ]);

export const CODES: ReadonlyMap<string, Code> = new Map([
  ...of("dead", {
    invalid_auth: "The platform does not accept the user's token.",
    not_authed: "The platform received no token.",
    token_revoked: "The user's token was revoked.",
    token_expired: "The user's token has expired.",
    account_inactive: "The user's account or workspace was deactivated.",
  }),
  ...of("scope", {
    missing_scope: "The user's grant lacks a permission.",
    not_allowed_token_type: "The platform does not accept this kind of token here.",
    no_permission: "The user's grant has no permission for this.",
  }),
  ...of("missing", {
    channel_not_found: "This conversation does not exist, or is not visible to this user.",
    user_not_found: "This person does not exist, or is not visible to this user.",
    users_not_found: "No active person has this e-mail address.",
    user_not_visible: "This person is not visible to this user.",
    team_not_found: "This workspace does not exist, or the application is not installed in it.",
    draft_not_found: "This draft does not exist.",
    duplicate_channel_not_found: "The conversation of this message does not exist.",
    duplicate_message_not_found: "This message does not exist.",
  }),
  ...of("throttled", {
    ratelimited: "The platform's rate limit is reached.",
    rate_limited: "Too many messages were sent.",
  }),
  ...of("refused", {
    not_in_channel: {
      sentence: "The user is not a member of this conversation and must join it first.",
      next: `Ask the user to join it. ${OTHER_PLACE}`,
    },
    is_archived: { sentence: "This conversation is archived.", next: OTHER_PLACE },
    channel_is_limited_access: { sentence: "The user has no access to this channel.", next: OTHER_PLACE },
    cannot_reply_to_message: "This kind of message cannot have replies.",
    restricted_action: {
      sentence: "The workspace's settings do not allow this user to post here.",
      next: OTHER_PLACE,
    },
    restricted_action_read_only_channel: {
      sentence: "This channel is read-only: messages cannot be posted in it.",
      next: OTHER_PLACE,
    },
    restricted_action_thread_only_channel: {
      sentence: "Only replies in threads are allowed in this channel.",
      next: OTHER_PLACE,
    },
    restricted_action_non_threadable_channel: "Replies in threads are not allowed in this channel.",
    restricted_action_thread_locked: "Replies to this thread are locked.",
    message_limit_exceeded: { sentence: "The workspace has reached its message limit.", next: TELL },
    messages_tab_disabled: "This application cannot receive direct messages.",
    user_disabled: {
      sentence: "At least one of these people is deactivated.",
      next: "Leave the deactivated person out. Chat.ListUsers lists the active people.",
    },
    cannot_dm_bot: {
      sentence: "Direct messages to a bot are not possible.",
      source: "HubSpot/slack-client#90",
    },
    invalid_user_combination: {
      sentence: "The platform does not allow a conversation between these people.",
      next: "Leave people of other organizations out, or choose a conversation that they are all in.",
    },
    method_not_supported_for_channel_type: {
      sentence: "This is not possible with this kind of conversation.",
      next: OTHER_PLACE,
    },
    slack_connect_canvas_sharing_blocked:
      "An administrator has blocked links to canvases in shared channels.",
    slack_connect_file_link_sharing_blocked:
      "An administrator has blocked links to files in shared channels.",
    slack_connect_lists_sharing_blocked: "An administrator has blocked links to lists in shared channels.",
    draft_already_deleted: "This draft was deleted.",
    draft_already_sent: "This draft was sent.",
    draft_has_conflict: "This draft was changed in the meantime.",
  }),
  ...of("organization", {
    access_denied: { sentence: "The platform denies the user access to this.", next: TELL },
    accesslimited: {
      sentence: "The organization does not allow access to this from the network of this server.",
      next: TELL,
    },
    ekm_access_denied: { sentence: "Administrators have suspended access to this conversation.", next: TELL },
    enterprise_is_restricted: {
      sentence: "The organization's settings do not allow this call.",
      next: TELL,
    },
    team_access_not_granted: {
      sentence: "The application is not installed in this workspace of the organization.",
      next: "Tell the user: an administrator must add the application to the workspace.",
    },
    two_factor_setup_required: {
      sentence: "The user must set up two-factor authentication first.",
      next: TELL,
    },
    app_access_restricted: {
      sentence: "An administrator has restricted this application.",
      next: TELL,
      source: "the lists of codes of several clients",
    },
  }),
  ...of("input", {
    no_text: { sentence: "`message` is empty.", next: "Write a `message` and call again." },
    msg_too_long: {
      sentence:
        `The message is too long for the platform: \`message\` must have at most ${MESSAGE_LIMIT} characters, in some ` +
        "places fewer. Shorten it or send it in parts.",
      source: "slackapi/slack-api-specs, web-api/slack_web_openapi_v2.json",
    },
    msg_blocks_too_long: "`message` is too long.",
    too_many_users: {
      sentence: "There are too many people for one conversation.",
      next: "Leave some people out and call again.",
    },
    not_enough_users: {
      sentence: "The conversation needs at least one other person.",
      next: "Give one and call again.",
    },
    users_list_not_supplied: {
      sentence: "No people were given.",
      next: "Give at least one person and call again.",
    },
    invalid_cursor: {
      sentence: "The cursor has expired. Start again without `next_cursor`.",
      next: "Call again without `next_cursor`.",
    },
    invalid_limit: {
      sentence: "The platform does not accept this `limit`.",
      next: "Call again without `limit`.",
    },
    limit_required: {
      sentence: "The platform requires a `limit`.",
      next: "Call again with `limit` set to 100.",
    },
    invalid_types: {
      sentence:
        "The platform does not list these `conversation_types`, or the user's grant does not cover one of them.",
      next: "Call again with fewer `conversation_types`.",
    },
    invalid_ts_oldest: {
      sentence: "The platform does not accept the oldest bound.",
      next: "Correct `oldest_datetime` or `oldest_relative` and call again.",
    },
    invalid_ts_latest: {
      sentence: "The platform does not accept the latest bound.",
      next: "Correct `latest_datetime` or `latest_relative` and call again.",
    },
    invalid_arguments: "The platform refused the arguments (invalid_arguments).",
    missing_argument: "The platform refused the arguments (missing_argument).",
    too_many_attachments: "The message has too many attachments.",
    too_many_contact_cards: "The message has too many contact cards.",
    attachment_payload_limit_exceeded: "The attachments of the message are too long.",
    markdown_text_conflict: "The message has two texts.",
    missing_file_data: "The message names a file without its data.",
  }),
  ...of("fault", {
    as_user_not_supported: "The platform does not accept the parameter as_user.",
    invalid_blocks: "The platform does not accept the blocks of the message.",
    invalid_blocks_format: "The platform does not accept the blocks of the message.",
    invalid_metadata_format: "The platform does not accept the metadata of the message.",
    invalid_metadata_schema: "The platform does not accept the metadata of the message.",
    invalid_metadata_filter_keys: "The platform does not accept the metadata keys.",
    metadata_must_be_sent_from_app: "The platform does not accept the metadata of the message.",
    metadata_too_large: "The metadata of the message is too large.",
    deprecated_endpoint: "The platform no longer offers this call.",
    method_deprecated: "The platform no longer offers this call.",
    upgrade_required: "The platform requires a newer form of this call.",
    invalid_arg_name: "The platform does not accept the form of the request.",
    invalid_array_arg: "The platform does not accept the form of the request.",
    invalid_charset: "The platform does not accept the form of the request.",
    invalid_form_data: "The platform does not accept the form of the request.",
    invalid_post_type: "The platform does not accept the form of the request.",
    missing_post_type: "The platform does not accept the form of the request.",
    invalid_json: "The platform does not accept the form of the request.",
    json_not_object: "The platform does not accept the form of the request.",
  }),
  ...of("transient", {
    internal_error: { sentence: "The platform failed.", maybeDone: true },
    fatal_error: { sentence: "The platform failed.", maybeDone: true },
    service_unavailable: "The platform is not available.",
    request_timeout: "The platform did not receive the whole request.",
    fetch_members_failed: "The platform could not read the members of this conversation.",
    team_added_to_org: "The workspace is being moved to an organization.",
    org_login_required: "The workspace is being moved to an organization.",
  }),
]);

const FAMILIES: readonly (readonly [RegExp, Code])[] = [
  [/_not_found$/, { meaning: "missing", sentence: "This does not exist, or is not visible to this user." }],
  [/^restricted_action/, { meaning: "refused", sentence: "The workspace's settings do not allow this." }],
  [/^invalid_ts_/, { meaning: "input", sentence: "The platform does not accept a time." }],
];

/** Undefined for an unknown code. */
export function codeNamed(code: string): Code | undefined {
  return CODES.get(code) ?? FAMILIES.find(([pattern]) => pattern.test(code))?.[1];
}
