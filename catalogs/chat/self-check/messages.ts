// Histories, and a message to oneself.
import {
  type JsonObject,
  judged,
  kindOf,
  observed,
  type PlatformCheck,
  withoutExample,
} from "../../../src/tools";
import { objectIn, objectsIn, textIn } from "../../upstream/json";
import { SPLIT_LENGTH } from "../limits";
import { type Asked, type ChatProbe, ownChannel, self } from "./probe";
import { codeSeen } from "./seen";

const READ = "GetMessages";
const SEND = "SendMessage";
const TS = /^\d{10}\.\d{6}$/;

/** With a character that the platform may escape. */
const OPENING = "Self-check of the runtime & its platform. You can delete this message.";
/** Longer than one message may be. */
const FILLING = "0123456789".repeat(SPLIT_LENGTH / 10);

export const MESSAGES: readonly PlatformCheck<ChatProbe>[] = [
  {
    name: "history-order",
    expects: "conversations.history has the newest messages first, with times of ten and six digits",
    tool: READ,
    async run(probe) {
      const asked = await history(probe);
      if (asked === undefined) return withoutExample();
      const times = timesIn(asked);
      const sorted = times.toSorted((left, right) => (left < right ? 1 : -1));
      const isSorted = times.every((ts, index) => ts === sorted[index]);
      const fit = times.every((ts) => TS.test(ts));
      return judged(asked.ok && isSorted && fit && times.length <= 3, {
        ...codeSeen(asked),
        messages: times.length,
        newest_first: isSorted,
        times_fit: fit,
      });
    },
  },
  {
    name: "history-has-more",
    expects: "conversations.history tells has_more as a boolean",
    tool: READ,
    async run(probe) {
      const asked = await history(probe);
      if (asked === undefined) return withoutExample();
      const kind = kindOf(asked.body["has_more"]);
      return judged(asked.ok && kind === "boolean", { ...codeSeen(asked), has_more: kind });
    },
  },
  {
    name: "history-window",
    expects: "latest excludes the message with exactly this time unless inclusive is set",
    tool: READ,
    async run(probe) {
      const asked = await history(probe);
      const [newest] = asked === undefined ? [] : timesIn(asked);
      const channel = await ownChannel(probe);
      if (newest === undefined || channel === undefined) return withoutExample();
      const before = await probe.ask("conversations.history", { channel, latest: newest, limit: 3 });
      const within = await probe.ask("conversations.history", {
        channel,
        latest: newest,
        inclusive: true,
        limit: 3,
      });
      const seen = {
        excluded: !timesIn(before).includes(newest),
        included_with_inclusive: timesIn(within).includes(newest),
      };
      return judged(seen.excluded && seen.included_with_inclusive, seen);
    },
  },
  {
    name: "history-from-oldest",
    expects: "with oldest alone, a history begins at that time and goes forward",
    tool: READ,
    async run(probe) {
      const asked = await history(probe);
      const times = asked === undefined ? [] : timesIn(asked).toSorted();
      const channel = await ownChannel(probe);
      const [first, second, third] = times;
      if (channel === undefined || first === undefined || second === undefined || third === undefined)
        return withoutExample({ messages: times.length });
      const after = await probe.ask("conversations.history", { channel, oldest: first, limit: 1 });
      const isNext = timesIn(after)[0] === second;
      return judged(after.ok && isNext, { ...codeSeen(after), next_message: isNext });
    },
  },
  {
    name: "hidden-by-plan",
    expects: "Not settled: a history with messages hidden by the workspace's plan has is_limited",
    tool: READ,
    async run(probe) {
      const asked = await history(probe);
      return asked === undefined
        ? withoutExample()
        : observed({ is_limited: kindOf(asked.body["is_limited"]) });
    },
  },
  {
    name: "invalid-time",
    expects: "a time that is not one is refused with invalid_ts_latest",
    tool: READ,
    async run(probe) {
      const channel = await ownChannel(probe);
      if (channel === undefined) return withoutExample();
      const asked = await probe.ask("conversations.history", { channel, latest: "self-check", limit: 1 });
      return judged(asked.code === "invalid_ts_latest", codeSeen(asked));
    },
  },
  {
    name: "history-of-a-person",
    expects: "the id of a person is not a conversation for conversations.history (channel_not_found)",
    tool: READ,
    async run(probe) {
      const channel = textIn((await self(probe)).body, "user_id");
      const asked = await probe.ask("conversations.history", { channel, limit: 1 });
      return judged(asked.code === "channel_not_found", codeSeen(asked));
    },
  },
  {
    name: "own-notes",
    expects: "conversations.open with the user's own id opens the notes to oneself (D)",
    tool: SEND,
    writes: true,
    async run(probe) {
      const asked = await notes(probe);
      const id = idOfNotes(asked) ?? "";
      return judged(asked.ok && id.startsWith("D"), { ...codeSeen(asked), direct: id.startsWith("D") });
    },
  },
  {
    name: "message-to-oneself",
    expects: "chat.postMessage answers with the channel and the time of the message",
    tool: SEND,
    writes: true,
    async run(probe) {
      const asked = await sent(probe);
      const channel = textIn(asked.body, "channel");
      const seen = {
        ...codeSeen(asked),
        same_channel: channel === idOfNotes(await notes(probe)),
        time_fits: TS.test(textIn(asked.body, "ts") ?? ""),
      };
      return judged(asked.ok && seen.same_channel && seen.time_fits, seen);
    },
  },
  {
    name: "message-read-back",
    expects: "a message is read as it was sent, with & as it is or escaped once",
    tool: SEND,
    writes: true,
    async run(probe) {
      const parts = await partsOf(probe);
      if (parts === undefined) return withoutExample();
      const texts = parts.map((part) => textIn(part, "text") ?? "");
      const isPlain = texts.some((text) => text.startsWith(OPENING));
      const isEscaped = texts.some((text) => text.startsWith(OPENING.replace("&", "&amp;")));
      return judged(isPlain || isEscaped, { messages: texts.length, escaped: isEscaped });
    },
  },
  {
    name: "mentions",
    expects: "a mention <@U…> is read as it was sent",
    tool: SEND,
    writes: true,
    async run(probe) {
      const parts = await partsOf(probe);
      if (parts === undefined) return withoutExample();
      const mention = await ownMention(probe);
      const isKept = parts.some((part) => textIn(part, "text")?.includes(mention) === true);
      return judged(isKept, { messages: parts.length, kept: isKept });
    },
  },
  {
    name: "split-messages",
    expects: "a message above 4,000 characters is posted as several; which of them ts names is not settled",
    tool: SEND,
    writes: true,
    async run(probe) {
      const parts = await partsOf(probe);
      if (parts === undefined) return withoutExample();
      const ts = textIn((await sent(probe)).body, "ts");
      const oldestFirst = parts.toReversed();
      const named = oldestFirst.findIndex((part) => textIn(part, "ts") === ts);
      const seen = { parts: parts.length, ts_names_part: named + 1 };
      return named < 0 || parts.length < 2 ? judged(false, seen) : observed(seen);
    },
  },
];

function history(probe: ChatProbe): Promise<Asked | undefined> {
  return probe.once("history", async () => {
    const channel = await ownChannel(probe);
    return channel === undefined ? undefined : probe.ask("conversations.history", { channel, limit: 3 });
  });
}

function timesIn({ body }: Asked): string[] {
  return objectsIn(body, "messages").flatMap((message) => textIn(message, "ts") ?? []);
}

function notes(probe: ChatProbe): Promise<Asked> {
  return probe.once("notes", async () =>
    probe.ask("conversations.open", { users: [textIn((await self(probe)).body, "user_id") ?? ""] }),
  );
}

function idOfNotes({ body }: Asked): string | undefined {
  return textIn(objectIn(body, "channel"), "id");
}

/** Sends the message, once in a run. */
function sent(probe: ChatProbe): Promise<Asked> {
  return probe.once("sent", async () => {
    const channel = idOfNotes(await notes(probe));
    // The tools tell callers so too: a run that fails afterwards must not be repeated.
    probe.context.reportEffect();
    const mark = markOf(probe);
    return probe.ask("chat.postMessage", {
      channel,
      text: `${OPENING} ${mark} ${await ownMention(probe)} ${FILLING} ${mark}`,
    });
  });
}

/** Found in the first and in the last part of this run's message. */
function markOf(probe: ChatProbe): string {
  return `self-check-${probe.startedAt}`;
}

async function ownMention(probe: ChatProbe): Promise<string> {
  return `<@${textIn((await self(probe)).body, "user_id")}>`;
}

/** The messages that the text became, newest first; undefined if it was not sent. */
function partsOf(probe: ChatProbe): Promise<JsonObject[] | undefined> {
  return probe.once("parts", async () => {
    const { ok } = await sent(probe);
    const channel = idOfNotes(await notes(probe));
    if (!ok || channel === undefined) return undefined;
    const { body } = await probe.ask("conversations.history", { channel, limit: 10 });
    return objectsIn(body, "messages").filter(
      (message) => textIn(message, "text")?.includes(markOf(probe)) === true,
    );
  });
}
