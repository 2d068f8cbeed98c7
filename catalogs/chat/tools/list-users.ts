// Chat.ListUsers: the people of the workspace.
import { Type } from "typebox";
import { defineTool } from "../../../src/tools";
import { ChatClient } from "../client";
import { collect } from "../collect";
import { LIST_LIMIT } from "../limits";
import { grantWith, READS } from "../metadata";
import { limitParameter, NEXT_CURSOR, orNull, rangeOf } from "../parameters";
import { BasicUser, basicUser, isBot } from "../records/user";
import { Directory } from "../resolve/directory";
import { pageOf } from "../resolve/listing";
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
  output: Type.Object({ users: Type.Array(BasicUser), next_cursor: orNull(Type.String()) }),
  authorization: grantWith(READ_USERS),
  metadata: READS,
  clamps: { limit: rangeOf(LIST_LIMIT) },
  async run(input, context) {
    const client = new ChatClient(context);
    const { items, next_cursor } = await collect(client, input, LIST_LIMIT, async (cursor, limit) => {
      const body = await pageOf(client, MEMBERS, cursor, limit);
      const members = objectsIn(body, "members");
      Directory.of(client, MEMBERS).learn(client, members);
      const users = members
        .filter((member) => member["deleted"] !== true)
        .map(basicUser)
        .filter((user) => user !== undefined)
        .filter((user) => input.exclude_bots === false || !isBot(user));
      return { items: users, counts: users.length, next: nextCursorIn(body) };
    });
    return { users: items, next_cursor };
  },
});
