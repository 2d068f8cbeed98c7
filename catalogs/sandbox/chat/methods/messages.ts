// conversations.history and chat.postMessage.
import { flag, optional, required, type Arguments } from "../arguments";
import { effectOf, SPLIT_AT } from "../behaviour/messages";
import { isTopLevel } from "../message-book";
import { record, text, without, type JsonRecord } from "../json";
import { cursorField, pageOf } from "../paging";
import { PlatformError } from "../platform-error";
import { family } from "../scopes";
import { compareTimestamps, microseconds } from "../timestamps";
import { conversationOf } from "./conversations";
import type { Method, MethodCall } from "./context";

export const messageMethods: Readonly<Record<string, Method>> = {
  "conversations.history": { accepts: family("history"), needs: [], run: history },
  "chat.postMessage": { accepts: ["chat:write"], needs: ["chat:write"], run: postMessage },
};

async function history(call: MethodCall): Promise<JsonRecord> {
  const { caller, params, workspace } = call;
  const isInside = windowOf(params);
  const conversation = await conversationOf(call, "history");
  // A user token reads any public channel; a bot token only those of the bot.
  if (caller.holder === "bot" && !conversation.isMember) throw new PlatformError("not_in_channel");
  const newestFirst = (await workspace.readMessages(caller.userId, conversation.innerId))
    .filter((message) => isTopLevel(message) && isInside(text(message, "ts")))
    .toSorted((left, right) => compareTimestamps(text(right, "ts"), text(left, "ts")));
  // With `oldest` alone pages run forward from there (slackhq/slack-api-docs#4); in a page newest still come first.
  const forward = params["oldest"] !== undefined && params["latest"] === undefined;
  const page = pageOf(params, {
    method: "conversations.history",
    items: forward ? newestFirst.toReversed() : newestFirst,
    keyOf: (message) => text(message, "ts"),
    maximum: 999,
    default: 100,
    fault: call.fault,
  });
  const hasMore = page.nextCursor !== "";
  return {
    messages: forward ? page.items.toReversed() : page.items,
    has_more: hasMore,
    pin_count: 0,
    ...(hasMore ? cursorField(page) : {}),
  };
}

/** Throws `invalid_ts_oldest` or `invalid_ts_latest`. Bounds are excluded unless `inclusive` is true. */
function windowOf(params: Arguments): (ts: string) => boolean {
  const oldest = bound(params, "oldest");
  const latest = bound(params, "latest");
  const slack = flag(params, "inclusive") ? 1n : 0n;
  return (ts) => {
    const at = microseconds(ts) ?? 0n;
    return (oldest === null || at > oldest - slack) && (latest === null || at < latest + slack);
  };
}

function bound(params: Arguments, name: "oldest" | "latest"): bigint | null {
  const value = optional(params, name);
  if (value === undefined) return null;
  const at = microseconds(value);
  if (at === null) throw new PlatformError(`invalid_ts_${name}`);
  return at;
}

async function postMessage(call: MethodCall): Promise<JsonRecord> {
  const { caller, params, workspace } = call;
  const { book, backend } = workspace;
  const channel = required(params, "channel");
  const message = params["text"] ?? "";
  if (message.trim() === "" && params["blocks"] === undefined && params["attachments"] === undefined) {
    throw new PlatformError("no_text");
  }
  if (effectOf(message) === "refused") throw new PlatformError("msg_too_long");
  const conversation = await workspace.conversations.find(caller.userId, channel);
  if (conversation.isArchived) throw new PlatformError("is_archived");
  if (!conversation.isMember) throw new PlatformError("not_in_channel");
  const thread = optional(params, "thread_ts");
  const answers: JsonRecord[] = [];
  for (const part of partsOf(message)) {
    const answer = await backend.call(caller.userId, "chat.postMessage", {
      ...params,
      ...(params["text"] === undefined ? {} : { text: part }),
      channel: conversation.innerId,
      ...(thread === undefined ? {} : { thread_ts: book.innerTs(thread) }),
    });
    if (answer["ok"] !== true) throw new PlatformError(text(answer, "error"));
    answers.push(answer);
  }
  const [answer = {}] = answers;
  const posted = book.show(record(answer, "message"));
  const truncated = effectOf(message) === "truncated" ? { warning: "message_truncated" } : {};
  return {
    ...without(answer, "ok"),
    channel: conversation.id,
    ts: text(posted, "ts"),
    message: posted,
    ...truncated,
  };
}

/** Long messages are posted as several; only one of them is answered. */
function partsOf(message: string): string[] {
  const characters = [...message];
  if (effectOf(message) !== "split") return [message];
  const parts: string[] = [];
  for (let start = 0; start < characters.length; start += SPLIT_AT) {
    parts.push(characters.slice(start, start + SPLIT_AT).join(""));
  }
  return parts;
}
