// The record of a conversation in the tools' results, and its conversion from the platform's record.
import { type Static, Type } from "typebox";
import type { JsonObject } from "../../../src/tools";
import { objectIn, textIn } from "../../upstream/json";
import { orNull } from "../parameters";

export const ConversationMetadata = Type.Object({
  id: Type.String({ description: "The conversation's id" }),
  name: orNull(Type.String({ description: "Null for direct messages" })),
  conversation_type: Type.Enum(["public_channel", "private_channel", "mpim", "im"], {
    type: "string",
    description: "mpim: a direct conversation of several people; im: of two people",
  }),
  is_private: Type.Boolean(),
  is_archived: Type.Boolean(),
  is_member: Type.Boolean({ description: "Whether the user is a member" }),
  purpose: Type.String(),
  num_members: orNull(Type.Integer({ description: "Null if the platform has not told it" })),
  user: Type.Optional(
    orNull(Type.String({ description: "The other person's id; only for direct messages" })),
  ),
  user_name: Type.Optional(
    orNull(
      Type.String({
        description:
          "The other person's name; only for direct messages. Absent if it is not known without another call: " +
          "Chat.GetUsersInfo with the ids takes one call for each",
      }),
    ),
  ),
  is_user_deleted: Type.Optional(
    orNull(
      Type.Boolean({ description: "Whether the other person is deactivated; only for direct messages" }),
    ),
  ),
});
export type ConversationMetadata = Static<typeof ConversationMetadata>;
type ConversationType = ConversationMetadata["conversation_type"];

/** Undefined for a record without an id. */
export function conversationMetadata(conversation: JsonObject): ConversationMetadata | undefined {
  const id = textIn(conversation, "id");
  if (id === undefined) return undefined;
  const type = typeOf(id, conversation);
  return {
    id,
    name: textIn(conversation, "name") ?? null,
    conversation_type: type,
    is_private: flagIn(conversation, "is_private") ?? true,
    is_archived: flagIn(conversation, "is_archived") ?? false,
    is_member: flagIn(conversation, "is_member") ?? true,
    purpose: textIn(objectIn(conversation, "purpose"), "value") ?? "",
    num_members: memberCount(type, conversation),
    ...(type === "im" && {
      user: textIn(conversation, "user") ?? null,
      is_user_deleted: flagIn(conversation, "is_user_deleted") ?? null,
    }),
  };
}

/** The number of members, if the platform's record has it. */
export function memberCountIn(conversation: JsonObject): number | undefined {
  const count = conversation["num_members"];
  return typeof count === "number" && Number.isSafeInteger(count) ? count : undefined;
}

const FLAGS = ["is_im", "is_mpim", "is_private", "is_group", "is_channel"];

/**
 * The order matters: group messages also have `is_group`, and newer private channels have `is_channel`, so testing
 * those first would misreport both.
 */
function typeOf(id: string, conversation: JsonObject): ConversationType {
  if (flagIn(conversation, "is_im") === true) return "im";
  if (flagIn(conversation, "is_mpim") === true) return "mpim";
  if (flagIn(conversation, "is_private") === true || flagIn(conversation, "is_group") === true) {
    return "private_channel";
  }
  if (FLAGS.some((flag) => flagIn(conversation, flag) !== undefined)) return "public_channel";
  return id.startsWith("D") ? "im" : id.startsWith("G") ? "private_channel" : "public_channel";
}

function memberCount(type: ConversationType, conversation: JsonObject): number | null {
  if (type === "im") return 2;
  const count = memberCountIn(conversation);
  if (count !== undefined) return count;
  return type === "mpim" ? countInName(textIn(conversation, "name") ?? "") : 0;
}

/** Group messages are named after their members: `mpdm-ada--grace--mary-1`; the number may be missing. */
function countInName(name: string): number | null {
  const people = /^mpdm-(.+?)(?:-\d+)?$/.exec(name)?.[1];
  return people === undefined ? null : people.split("--").length;
}

function flagIn(from: JsonObject, field: string): boolean | undefined {
  const value = from[field];
  return typeof value === "boolean" ? value : undefined;
}
