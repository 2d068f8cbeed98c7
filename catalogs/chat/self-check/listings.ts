// Listings of conversations and of their members.
import {
  type JsonObject,
  judged,
  kindOf,
  observed,
  type PlatformCheck,
  type Verdict,
  withoutExample,
} from "../../../src/tools";
import { objectsIn } from "../../upstream/json";
import {
  type ChatProbe,
  continues,
  cursorIn,
  idsIn,
  ofTeam,
  own,
  ownChannel,
  people,
  textsOf,
} from "./probe";
import { codeSeen } from "./seen";

const LIST = "ListConversations";
const MEMBERS = "GetUsersInConversation";

/** More than a small workspace needs for one type, so that a short page is seen. */
const PAGE = 20;

export const LISTINGS: readonly PlatformCheck<ChatProbe>[] = [
  {
    name: "public-channels-only",
    expects: "conversations.list of public channels contains only those, and keeps to its limit",
    tool: LIST,
    run: (probe) =>
      oneType(probe, "public_channel", (item) => item["is_private"] !== true && isChannel(item)),
  },
  {
    name: "private-channels-only",
    expects: "conversations.list of private channels contains only those",
    tool: LIST,
    run: (probe) => oneType(probe, "private_channel", (item) => item["is_private"] === true),
  },
  {
    name: "direct-messages-only",
    expects: "conversations.list of direct messages contains only those, each with the other person",
    tool: LIST,
    run: (probe) => oneType(probe, "im", (item) => item["is_im"] === true && kindOf(item["user"]) === "text"),
  },
  {
    name: "list-pages",
    expects: "a cursor of conversations.list leads to other conversations",
    tool: LIST,
    async run(probe) {
      const params = { types: ["public_channel"], limit: 1, ...(await ofTeam(probe)) };
      const first = await probe.ask("conversations.list", params);
      const cursor = cursorIn(first);
      const ids = idsIn(first, "channels");
      if (cursor === undefined)
        return first.ok ? withoutExample({ page: ids.length }) : judged(false, codeSeen(first));
      const next = await probe.ask("conversations.list", { ...params, cursor });
      const repeated = idsIn(next, "channels").filter((id) => ids.includes(id)).length;
      return judged(next.ok && ids.length <= 1 && repeated === 0 && cursorIn(next) !== cursor, {
        ...codeSeen(next),
        page: ids.length,
        repeated,
        same_cursor: cursorIn(next) === cursor,
      });
    },
  },
  {
    name: "mixed-types",
    expects:
      "conversations.list of several types has short pages before its end, which is why it is never asked for",
    tool: LIST,
    async run(probe) {
      const asked = await probe.ask("conversations.list", {
        types: ["public_channel", "private_channel"],
        limit: PAGE,
        ...(await ofTeam(probe)),
      });
      const count = idsIn(asked, "channels").length;
      const seen = { ...codeSeen(asked), page: count, limit: PAGE, continues: continues(asked) };
      if (!asked.ok) return judged(false, seen);
      // A whole listing on one page says nothing about how pages are cut.
      return continues(asked) ? judged(count < PAGE, seen) : withoutExample(seen);
    },
  },
  {
    name: "invalid-types",
    expects: "an unknown type is refused with invalid_types",
    tool: LIST,
    async run(probe) {
      const asked = await probe.ask("conversations.list", {
        types: ["self_check"],
        limit: 1,
        ...(await ofTeam(probe)),
      });
      return judged(asked.code === "invalid_types", codeSeen(asked));
    },
  },
  {
    name: "memberships",
    expects: "users.conversations lists the user's own, or is refused with enterprise_is_restricted",
    tool: LIST,
    async run(probe) {
      const asked = await own(probe, "public_channel");
      const isRestricted = asked.code === "enterprise_is_restricted";
      return judged(asked.ok || isRestricted, {
        ...codeSeen(asked),
        channels: idsIn(asked, "channels").length,
        continues: continues(asked),
      });
    },
  },
  {
    name: "mixed-memberships",
    expects: "Not settled: users.conversations of several types has full pages before its end",
    tool: LIST,
    async run(probe) {
      const asked = await probe.ask("users.conversations", {
        types: ["public_channel", "private_channel", "mpim", "im"],
        limit: 3,
        ...(await ofTeam(probe)),
      });
      const count = idsIn(asked, "channels").length;
      const seen = { ...codeSeen(asked), page: count, limit: 3, continues: continues(asked) };
      if (asked.code === "enterprise_is_restricted") return withoutExample(seen);
      return judged(asked.ok && count <= 3 && (count === 3 || !continues(asked)), seen);
    },
  },
  {
    name: "unknown-conversation",
    expects: "an unknown id is refused with channel_not_found and HTTP 200",
    tool: "GetConversationMetadata",
    async run(probe) {
      const asked = await probe.ask("conversations.info", { channel: "C00000000" });
      return judged(asked.status === 200 && asked.code === "channel_not_found", codeSeen(asked));
    },
  },
  {
    name: "member-count",
    expects: "conversations.info tells num_members if it is asked to",
    tool: "GetConversationMetadata",
    async run(probe) {
      const channel = await ownChannel(probe);
      if (channel === undefined) return withoutExample();
      const asked = await probe.ask("conversations.info", { channel, include_num_members: true });
      const [info] = objectsIn({ list: [asked.body["channel"] ?? null] }, "list");
      const kind = kindOf(info?.["num_members"]);
      return judged(asked.ok && kind === "number", { ...codeSeen(asked), num_members: kind });
    },
  },
  {
    name: "member-ids",
    expects: "conversations.members is a list of ids that keeps to its limit",
    tool: MEMBERS,
    async run(probe) {
      const channel = await ownChannel(probe);
      if (channel === undefined) return withoutExample();
      const asked = await probe.ask("conversations.members", { channel, limit: 2 });
      const ids = textsOf(asked.body, "members");
      const fits = ids.length > 0 && ids.length <= 2 && ids.every((id) => /^[UW][A-Z0-9]+$/.test(id));
      return judged(asked.ok && fits, { ...codeSeen(asked), members: ids.length, limit: 2, ids_fit: fits });
    },
  },
  {
    name: "deactivated-members",
    expects: "Not settled: whether conversations.members contains deactivated people; both are handled",
    tool: MEMBERS,
    async run(probe) {
      const channel = await ownChannel(probe);
      if (channel === undefined) return withoutExample();
      const everybody = objectsIn((await people(probe)).body, "members");
      const gone = new Set(everybody.filter(({ deleted }) => deleted === true).map(({ id }) => id));
      if (gone.size === 0) return withoutExample({ deactivated_people: 0 });
      const asked = await probe.ask("conversations.members", { channel, limit: 200 });
      const members = textsOf(asked.body, "members");
      const found = members.filter((id) => gone.has(id)).length;
      return observed({ deactivated_people: gone.size, members: members.length, deactivated_members: found });
    },
  },
];

/** Whether a listing of one type contains only items of that type. */
async function oneType(
  probe: ChatProbe,
  type: string,
  fits: (item: JsonObject) => boolean,
): Promise<Verdict> {
  const asked = await probe.ask("conversations.list", {
    types: [type],
    limit: PAGE,
    ...(await ofTeam(probe)),
  });
  const items = objectsIn(asked.body, "channels");
  const others = items.filter((item) => !fits(item)).length;
  return judged(asked.ok && others === 0 && items.length <= PAGE, {
    ...codeSeen(asked),
    page: items.length,
    of_other_types: others,
  });
}

function isChannel(item: JsonObject): boolean {
  return item["is_im"] !== true && item["is_mpim"] !== true;
}
