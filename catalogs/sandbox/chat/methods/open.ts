// conversations.open: finds or creates a direct message, a group message, or the notes to oneself.
import { flag, optional, type Arguments } from "../arguments";
import type { Conversation } from "../conversations";
import { record, text, type JsonRecord } from "../json";
import { PlatformError } from "../platform-error";
import { requireOpenScope } from "../scopes";
import type { Method, MethodCall } from "./context";

const MOST_PEOPLE = 8;

export const openMethods: Readonly<Record<string, Method>> = {
  "conversations.open": { accepts: ["im:write", "mpim:write"], needs: [], run: open },
};

async function open(call: MethodCall): Promise<JsonRecord> {
  const { caller, params, workspace } = call;
  const returnIm = flag(params, "return_im");
  const preventCreation = flag(params, "prevent_creation");
  const channel = optional(params, "channel");
  if (channel !== undefined) return openKnown(call, channel, returnIm);
  const others = otherPeople(params, caller.userId);
  requireOpenScope(caller, others.length > 1 ? "mpim:write" : "im:write");
  for (const userId of others) {
    await workspace.directory.find(caller.userId, userId);
    if (workspace.directory.isDeactivated(userId)) throw new PlatformError("user_disabled");
  }
  if (others.length === 0) {
    const known = await workspace.conversations.ownNotes(caller.userId, false);
    const notes = known ?? (await workspace.conversations.ownNotes(caller.userId, !preventCreation));
    if (notes === null) throw new PlatformError("channel_not_found");
    return answer(call, notes, returnIm, known !== null);
  }
  const opened = await workspace.backend.call(caller.userId, "conversations.open", {
    users: others.join(","),
    ...(preventCreation ? { prevent_creation: "true" } : {}),
  });
  if (opened["ok"] !== true) throw new PlatformError(text(opened, "error"));
  const conversation = await workspace.conversations.find(
    caller.userId,
    text(record(opened, "channel"), "id"),
  );
  return answer(call, conversation, returnIm, opened["already_open"] === true);
}

/** Everybody except the caller; empty for the notes to oneself. */
function otherPeople(params: Arguments, callerId: string): string[] {
  const ids = (params["users"] ?? "").split(",").map((id) => id.trim());
  const users = [...new Set(ids.filter((id) => id !== ""))];
  if (users.length === 0) throw new PlatformError("not_enough_users");
  if (users.length > MOST_PEOPLE) throw new PlatformError("too_many_users");
  if (users.length > 1 && users.includes(callerId)) throw new PlatformError("invalid_user_combination");
  return users.filter((id) => id !== callerId);
}

async function openKnown(call: MethodCall, channel: string, returnIm: boolean): Promise<JsonRecord> {
  const { caller, workspace } = call;
  const conversation = await workspace.conversations.find(caller.userId, channel);
  const { kind, innerId } = conversation;
  if (kind !== "im" && kind !== "mpim") throw new PlatformError("channel_not_found");
  requireOpenScope(caller, kind === "im" ? "im:write" : "mpim:write");
  // Notes to oneself are always open; in the emulator they are not a direct message.
  if (conversation.id !== innerId) return answer(call, conversation, returnIm, true);
  const opened = await workspace.backend.must(caller.userId, "conversations.open", { channel: innerId });
  return answer(call, conversation, returnIm, opened["already_open"] === true);
}

async function answer(
  call: MethodCall,
  conversation: Conversation,
  returnIm: boolean,
  alreadyOpen: boolean,
): Promise<JsonRecord> {
  const { conversations } = call.workspace;
  const channel = returnIm
    ? await conversations.show(call.caller.userId, conversation, "info")
    : { id: conversation.id };
  return { ...(alreadyOpen ? { no_op: true, already_open: true } : {}), channel };
}
