// Messages as the tools give them back: the platform's own, with names beside the ids of people.
import { Type } from "typebox";
import { type JsonObject, ToolError } from "../../../src/tools";
import type { ChatClient } from "../client";
import { IN_FLIGHT, MENTIONS_NAMED, REACTIONS_NAMED } from "../limits";
import { orNull } from "../parameters";
import { type BasicUser, shownName } from "../records/user";
import { findUser, isKnownUser } from "../resolve/users";
import { objectsIn, textIn, textsIn } from "../../upstream/json";
import { Limiter } from "../../upstream/limiter";

const Person = Type.Object({
  id: Type.String(),
  name: orNull(Type.String({ description: "Null when it cannot be told" })),
});

/** Whatever else the platform tells stands in it unchanged: `blocks`, `attachments`, `files`, `subtype`, … */
export const Message = Type.Unsafe<JsonObject>(
  Type.Object(
    {
      ts: Type.Optional(
        orNull(Type.String({ description: "The message's timestamp, which is its id in the conversation" })),
      ),
      datetime_timestamp: orNull(
        Type.String({ description: "The same time, in UTC, in the form 'YYYY-MM-DD HH:MM:SS'" }),
      ),
      user: Type.Optional(orNull(Person)),
      text: Type.Optional(orNull(Type.String({ description: "Mentions read <@name (id:U…)>" }))),
      reactions: Type.Optional(
        orNull(
          Type.Array(
            Type.Object({ users: Type.Optional(Type.Array(Person)) }, { additionalProperties: true }),
          ),
        ),
      ),
    },
    { additionalProperties: true },
  ),
);

/** Puts names and readable times into messages. Names that cannot be told are null; nothing is thrown for them. */
export async function readable(client: ChatClient, messages: readonly JsonObject[]): Promise<JsonObject[]> {
  const names = await namesOf(client, peopleIn(client, messages));
  return messages.map((message) => ({
    ...message,
    ...(typeof message["user"] === "string" && { user: person(message["user"], names) }),
    ...(typeof message["text"] === "string" && { text: withNames(message["text"], names) }),
    ...(Array.isArray(message["reactions"]) && { reactions: reactionsOf(message, names) }),
    datetime_timestamp: datetimeOf(textIn(message, "ts")),
  }));
}

/** All authors; of the others those who are known, and as many more as the reader may wait for. */
function peopleIn(client: ChatClient, messages: readonly JsonObject[]): string[] {
  const authors = new Set(messages.flatMap((message) => textIn(message, "user") ?? []));
  const mentioned = new Set(messages.flatMap((message) => mentionsIn(textIn(message, "text") ?? "")));
  const reacting = new Set(
    messages.flatMap((message) => objectsIn(message, "reactions").flatMap((item) => textsIn(item, "users"))),
  );
  return [
    ...authors,
    ...affordable(client, mentioned.difference(authors), MENTIONS_NAMED),
    ...affordable(client, reacting.difference(authors).difference(mentioned), REACTIONS_NAMED),
  ];
}

function affordable(client: ChatClient, ids: ReadonlySet<string>, lookUps: number): string[] {
  let left = lookUps;
  return [...ids].filter((id) => isKnownUser(client, id) || left-- > 0);
}

const MENTION = /<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g;

function mentionsIn(text: string): string[] {
  return Array.from(text.matchAll(MENTION), ([, id = ""]) => id);
}

function withNames(text: string, names: Names): string {
  return text.replace(MENTION, (mention, id: string) => {
    const name = names.get(id);
    return name === undefined ? mention : `<@${name} (id:${id})>`;
  });
}

function reactionsOf(message: JsonObject, names: Names): JsonObject[] {
  return objectsIn(message, "reactions").map((reaction) => ({
    ...reaction,
    ...("users" in reaction && { users: textsIn(reaction, "users").map((id) => person(id, names)) }),
  }));
}

function person(id: string, names: Names) {
  return { id, name: names.get(id) ?? null };
}

/** The platform's timestamps are seconds since 1970 with six decimals, as text. */
function datetimeOf(ts: string | undefined): string | null {
  const seconds = /^(\d{1,11})(?:\.\d+)?$/.exec(ts ?? "")?.[1];
  if (seconds === undefined) return null;
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace("T", " ");
}

/** Names by id; those that could not be told are absent. */
type Names = ReadonlyMap<string, string>;

/**
 * The names of these people, from memory and by one call each. The first failure ends the looking up: what is not
 * known by then stays without a name, and nothing is thrown for it.
 */
async function namesOf(client: ChatClient, ids: Iterable<string>): Promise<Names> {
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
