// conversations.list, users.conversations, conversations.info, conversations.members.
import { flag, optional, required, type Arguments } from "../arguments";
import type { Conversation } from "../conversations";
import type { JsonRecord } from "../json";
import { membershipsError } from "../behaviour/organization";
import { mixedLimit } from "../behaviour/paging";
import { cursorField, pageOf } from "../paging";
import { PlatformError } from "../platform-error";
import {
  family,
  requireConversationScopes,
  requireOneOfFamily,
  type Access,
  type ConversationKind,
} from "../scopes";
import { checkTeam, type Method, type MethodCall } from "./context";

const KINDS: readonly ConversationKind[] = ["public_channel", "private_channel", "mpim", "im"];
const accepts = family("read");

export const conversationMethods: Readonly<Record<string, Method>> = {
  "conversations.list": { accepts, needs: [], run: list },
  "users.conversations": { accepts, needs: [], run: memberships },
  "conversations.info": { accepts, needs: [], run: info },
  "conversations.members": { accepts, needs: [], run: members },
};

/** The conversation of `channel`, if the caller may see it and its token may use it. */
export async function conversationOf(call: MethodCall, access: Access): Promise<Conversation> {
  requireOneOfFamily(call.caller, access);
  const id = required(call.params, "channel");
  const conversation = await call.workspace.conversations.find(call.caller.userId, id);
  requireConversationScopes(call.caller, [conversation.kind], access);
  return conversation;
}

async function list(call: MethodCall): Promise<JsonRecord> {
  const kinds = askedKinds(call);
  const all = await call.workspace.conversations.visible(call.caller.userId);
  return page(call, "conversations.list", select(call.params, kinds, all), "list", kinds.length);
}

async function memberships(call: MethodCall): Promise<JsonRecord> {
  const kinds = askedKinds(call);
  if (call.workspace.restrictsMemberships) throw new PlatformError(membershipsError());
  const { conversations } = call.workspace;
  const userId = optional(call.params, "user") ?? call.caller.userId;
  await call.workspace.directory.find(call.caller.userId, userId);
  const own = await conversations.visible(call.caller.userId);
  const visible = new Set(own.map((conversation) => conversation.id));
  const theirs = userId === call.caller.userId ? own : await conversations.visible(userId);
  const shared = theirs.filter((conversation) => conversation.isMember && visible.has(conversation.id));
  return page(call, "users.conversations", select(call.params, kinds, shared), "memberships");
}

async function info(call: MethodCall): Promise<JsonRecord> {
  const view = flag(call.params, "include_num_members") ? "info_with_count" : "info";
  const conversation = await conversationOf(call, "read");
  return { channel: await call.workspace.conversations.show(call.caller.userId, conversation, view) };
}

async function members(call: MethodCall): Promise<JsonRecord> {
  const conversation = await conversationOf(call, "read");
  const ids = await call.workspace.conversations.members(call.caller.userId, conversation);
  const cut = pageOf(call.params, {
    method: "conversations.members",
    items: ids,
    keyOf: (id) => id,
    maximum: 999,
    default: 100,
    fault: call.fault,
  });
  return { members: cut.items, ...cursorField(cut) };
}

/** Throws `invalid_types`, `missing_scope`, or the error of the workspace. Default: public only. */
function askedKinds(call: MethodCall): ConversationKind[] {
  checkTeam(call);
  const names = (optional(call.params, "types") ?? "public_channel").split(",").map((name) => name.trim());
  const kinds = KINDS.filter((kind) => names.includes(kind));
  if (names.some((name) => KINDS.every((kind) => kind !== name))) throw new PlatformError("invalid_types");
  requireConversationScopes(call.caller, kinds, "read");
  return kinds;
}

function select(
  params: Arguments,
  kinds: readonly ConversationKind[],
  all: readonly Conversation[],
): Conversation[] {
  const excludeArchived = flag(params, "exclude_archived");
  return all.filter((item) => kinds.includes(item.kind) && !(excludeArchived && item.isArchived));
}

async function page(
  call: MethodCall,
  method: string,
  items: readonly Conversation[],
  view: "list" | "memberships",
  types = 1,
): Promise<JsonRecord> {
  const cut = pageOf(call.params, {
    mixed: (limit) => mixedLimit(method, types, limit),
    method,
    items,
    keyOf: (item) => item.id,
    maximum: 999,
    default: 100,
    fault: call.fault,
  });
  const { conversations } = call.workspace;
  const channels = await Promise.all(
    cut.items.map((item) => conversations.show(call.caller.userId, item, view)),
  );
  return { channels, ...cursorField(cut) };
}
