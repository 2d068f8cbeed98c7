// Chat.ListUsers: the people of the workspace.
import { Type } from "typebox";
import { defineTool } from "../../../src/tools";
import { ChatClient } from "../client";
import { missingField, MISSING } from "../../upstream/missing";
import { bySegment, collect } from "../collect";
import { LIST_LIMIT } from "../limits";
import { grantWith, READS } from "../metadata";
import { limitParameter, NEXT_CURSOR, orNull, rangeOf } from "../parameters";
import { BasicUser, basicUser, isBot } from "../records/user";
import { Directory } from "../resolve/directory";
import { pageOf } from "../resolve/listing";
import { segmentsOf } from "../resolve/segments";
import { MEMBERS } from "../resolve/usernames";
import { READ_USERS } from "../scopes";
import { nextCursorIn } from "../upstream/exchange";
import { objectsIn } from "../../upstream/json";

export const listUsers = defineTool({
  name: "ListUsers",
  description: "Lists the people of the chat workspace, without deactivated ones.",
  input: Type.Object({
    exclude_bots: Type.Optional(
      Type.Boolean({ description: "Whether to leave out bots. Default: true.", default: true }),
    ),
    limit: limitParameter(LIST_LIMIT, "people"),
    next_cursor: NEXT_CURSOR,
  }),
  output: Type.Object({ users: Type.Array(BasicUser), next_cursor: orNull(Type.String()), missing: MISSING }),
  authorization: grantWith(READ_USERS),
  metadata: READS,
  clamps: { limit: rangeOf(LIST_LIMIT) },
  async run(input, context) {
    const client = new ChatClient(context);
    const { method, sources } = MEMBERS;
    const segments = await segmentsOf(client, sources);
    const read = bySegment(segments, async (params, cursor, limit) => {
      const body = await pageOf(client, { method, params }, cursor, limit);
      const members = objectsIn(body, "members");
      (await Directory.of(client, MEMBERS)).learn(client, members);
      const users = members
        .filter((member) => member["deleted"] !== true)
        .map(basicUser)
        .filter((user) => user !== undefined)
        .filter((user) => input.exclude_bots === false || !isBot(user));
      return { items: users, counts: users.length, next: nextCursorIn(body) };
    });
    const { items, next_cursor, missing } = await collect(client, input, LIST_LIMIT, read);
    return { users: items, next_cursor, ...missingField(context, missing) };
  },
});
