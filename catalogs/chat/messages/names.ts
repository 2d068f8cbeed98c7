// Who the ids in messages are, as far as that can be told without making the reader wait for it.
import { ToolError } from "../../../src/tools";
import type { ChatClient } from "../client";
import { IN_FLIGHT } from "../limits";
import { type BasicUser, shownName } from "../records/user";
import { findUser } from "../resolve/users";
import { Limiter } from "../../upstream/limiter";

/** Names by id; those that could not be told are absent. */
export type Names = ReadonlyMap<string, string>;

/**
 * The names of these people, from memory and by one call each. The first failure ends the looking up: what is not
 * known by then stays without a name, and nothing is thrown for it.
 */
export async function namesOf(client: ChatClient, ids: Iterable<string>): Promise<Names> {
  const names = new Map<string, string>();
  const line = new Limiter(IN_FLIGHT);
  let failed = false;
  const find = async (id: string): Promise<BasicUser | undefined> => {
    try {
      return failed ? undefined : await findUser(client, id, { wait: false, paging: true });
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      failed = true;
      return undefined;
    }
  };
  await Promise.all(
    Array.from(new Set(ids), async (id) => {
      const user = await line.run(() => find(id));
      const name = user === undefined ? null : shownName(user);
      if (name !== null) names.set(id, name);
    }),
  );
  return names;
}
