// What the chat platform might do otherwise.
import type { JsonObject } from "../../src/base";
import {
  type Deviation,
  eachOf,
  instead,
  listed,
  withFields,
  withoutFields,
  withoutHeader,
} from "./deviating";

const ofUser =
  (user: JsonObject): Required<Deviation>["answers"] =>
  (answer) => ({
    ...answer,
    body: { ...answer.body, user: { ...objectIn(answer.body, "user"), ...user } },
  });

const refused = (error: string, status = 200): Required<Deviation>["answers"] =>
  instead(status, { ok: false, error });

const unlessRefused = (answers: Required<Deviation>["answers"]): Required<Deviation>["answers"] => {
  return (answer, sent) => (answer.body["ok"] === true ? answers(answer, sent) : answer);
};

export const CHAT_DEVIATIONS: readonly Deviation[] = [
  {
    behaviour: "auth.test names no user",
    check: "own-identity",
    at: "auth.test",
    answers: withFields({ user_id: "" }),
  },
  {
    behaviour: "auth.test names another user than the grant",
    check: "grant-facts",
    at: "auth.test",
    answers: withFields({ user_id: "U000000099" }),
  },
  {
    behaviour: "the id of a person has a history",
    check: "history-of-a-person",
    at: "conversations.history",
    when: ({ params }) => params["channel"]?.startsWith("U") === true,
    answers: instead(200, { ok: true, messages: [], has_more: false }),
  },
  {
    behaviour: "mentions are read with a name",
    check: "mentions",
    at: "conversations.history",
    answers: eachOf("messages", (message) => ({
      ...message,
      text: String(message["text"]).replace(/<@(U[A-Z0-9]+)>/, "<@$1|name>"),
    })),
  },
  {
    behaviour: "answers do not have the scopes",
    check: "scopes-header",
    at: "auth.test",
    answers: withoutHeader("x-oauth-scopes"),
  },
  {
    behaviour: "the header has fewer scopes than the grant",
    check: "scopes-header",
    at: "auth.test",
    answers: (answer) => ({ ...answer, headers: { ...answer.headers, "x-oauth-scopes": "users:read" } }),
  },
  {
    behaviour: "the list of workspaces needs a scope",
    check: "organization-workspaces",
    at: "auth.teams.list",
    answers: refused("missing_scope"),
  },
  {
    behaviour: "a person has no profile",
    check: "person-fields",
    at: "users.info",
    answers: unlessRefused(ofUser({ profile: null })),
  },
  {
    behaviour: "deleted is a number",
    check: "person-fields",
    at: "users.info",
    answers: unlessRefused(ofUser({ deleted: 0 })),
  },
  {
    behaviour: "profiles have no e-mail address",
    check: "email-with-scope",
    at: "users.info",
    answers: unlessRefused(ofUser({ profile: {} })),
  },
  {
    behaviour: "an unknown person is a page of HTTP 404",
    check: "unknown-person",
    at: "users.info",
    when: ({ params }) => params["user"] === "U00000000",
    answers: refused("user_not_found", 404),
  },
  {
    behaviour: "an unknown address has another code",
    check: "unknown-email",
    at: "users.lookupByEmail",
    answers: refused("no_such_address"),
  },
  {
    behaviour: "an address finds another person",
    check: "email-lookup",
    at: "users.lookupByEmail",
    answers: unlessRefused(ofUser({ id: "U000000999" })),
  },
  {
    behaviour: "users.list ignores the limit",
    check: "people-pages",
    at: "users.list",
    when: ({ params }) => params["cursor"] === undefined && params["limit"] === "2",
    answers: listed("members", (items) => [...items, ...items]),
  },
  {
    behaviour: "the cursor of users.list leads to the first page",
    check: "people-pages",
    at: "users.list",
    sends: () => ({ cursor: undefined }),
  },
  {
    behaviour: "an invalid cursor is ignored",
    check: "invalid-cursor",
    at: "users.list",
    sends: () => ({ cursor: undefined }),
  },
  {
    behaviour: "private channels are listed as public ones",
    check: "public-channels-only",
    at: "conversations.list",
    when: ({ params }) => params["types"] === "public_channel",
    sends: () => ({ types: "public_channel,private_channel", limit: "999" }),
  },
  {
    behaviour: "public channels are listed as private ones",
    check: "private-channels-only",
    at: "conversations.list",
    when: ({ params }) => params["types"] === "private_channel",
    sends: () => ({ types: "public_channel" }),
  },
  {
    behaviour: "direct messages do not name the other person",
    check: "direct-messages-only",
    at: "conversations.list",
    when: ({ params }) => params["types"] === "im",
    answers: listed("channels", () => [{ id: "D000000009", is_im: true }]),
  },
  {
    behaviour: "the cursor of conversations.list repeats",
    check: "list-pages",
    at: "conversations.list",
    answers: (answer) => ({
      ...answer,
      body: { ...answer.body, response_metadata: { next_cursor: "same" } },
    }),
    sends: ({ params }) => (params["cursor"] === "same" ? { cursor: undefined } : {}),
  },
  {
    behaviour: "listings of several types have full pages",
    check: "mixed-types",
    at: "conversations.list",
    when: ({ params }) => params["types"] === "public_channel,private_channel",
    answers: listed("channels", (items) => Array.from({ length: 20 }, () => items[0] ?? {})),
  },
  {
    behaviour: "an unknown type is ignored",
    check: "invalid-types",
    at: "conversations.list",
    when: ({ params }) => params["types"] === "self_check",
    sends: () => ({ types: undefined }),
  },
  {
    behaviour: "memberships are refused",
    check: "memberships",
    at: "users.conversations",
    answers: refused("not_allowed"),
  },
  {
    behaviour: "memberships of several types have short pages",
    check: "mixed-memberships",
    at: "users.conversations",
    when: ({ params }) => params["types"]?.includes(",") === true,
    answers: listed("channels", (items) => items.slice(0, 1)),
  },
  {
    behaviour: "an unknown conversation has another code",
    check: "unknown-conversation",
    at: "conversations.info",
    when: ({ params }) => params["channel"] === "C00000000",
    answers: refused("no_such_channel"),
  },
  {
    behaviour: "the number of members is not told",
    check: "member-count",
    at: "conversations.info",
    sends: () => ({ include_num_members: undefined }),
  },
  {
    behaviour: "members are objects",
    check: "member-ids",
    at: "conversations.members",
    answers: withFields({ members: [{ id: "U000000001" }] }),
  },
  {
    behaviour: "histories begin with the oldest message",
    check: "history-order",
    at: "conversations.history",
    answers: listed("messages", (items) => items.toReversed()),
  },
  {
    behaviour: "times are numbers",
    check: "history-order",
    at: "conversations.history",
    answers: eachOf("messages", (message) => ({ ...message, ts: "1700000000" })),
  },
  {
    behaviour: "histories do not tell whether there is more",
    check: "history-has-more",
    at: "conversations.history",
    answers: withoutFields("has_more"),
  },
  {
    behaviour: "latest includes its own message",
    check: "history-window",
    at: "conversations.history",
    sends: ({ params }) => (params["latest"] === undefined ? {} : { inclusive: "true" }),
  },
  {
    behaviour: "histories from a time begin with the newest message",
    check: "history-from-oldest",
    at: "conversations.history",
    when: ({ params }) => params["oldest"] !== undefined,
    sends: () => ({ oldest: undefined }),
  },
  {
    behaviour: "an invalid time is ignored",
    check: "invalid-time",
    at: "conversations.history",
    sends: ({ params }) => (params["latest"] === "self-check" ? { latest: undefined } : {}),
  },
  {
    behaviour: "notes to oneself are not a direct conversation",
    check: "own-notes",
    at: "conversations.open",
    answers: refused("not_supported"),
  },
  {
    behaviour: "a message is answered without its time",
    check: "message-to-oneself",
    at: "chat.postMessage",
    answers: withFields({ ts: "" }),
  },
  {
    behaviour: "messages are read with another text",
    check: "message-read-back",
    at: "conversations.history",
    answers: eachOf("messages", (message) => ({
      ...message,
      text: String(message["text"]).replace("&", "&amp;amp;"),
    })),
  },
  {
    behaviour: "long messages are not split",
    check: "split-messages",
    at: "chat.postMessage",
    sends: ({ params }) => ({ text: params["text"]?.slice(0, 200) }),
  },
  {
    behaviour: "the time of a split message names none of its parts",
    check: "split-messages",
    at: "chat.postMessage",
    answers: (answer) => ({ ...answer, body: { ...answer.body, ts: "1700000000.000001" } }),
  },
];

function objectIn(body: JsonObject, field: string): JsonObject {
  const value = body[field];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
