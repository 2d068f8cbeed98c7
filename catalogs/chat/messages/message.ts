// Messages as the tools return them: the platform's own, with names added to the ids of people.
import { Type } from "typebox";
import { type JsonObject, ToolError } from "../../../src/tools";
import type { ChatClient } from "../client";
import { IN_FLIGHT, MENTIONS_NAMED, REACTIONS_NAMED } from "../limits";
import { orNull } from "../parameters";
import { type BasicUser, shownName } from "../records/user";
import { findUser, isCachedUser } from "../resolve/users";
import { nonEmptyTextIn, objectsIn, textIn, textsIn } from "../../upstream/json";
import { Limiter } from "../../upstream/limiter";

const Person = Type.Object({
  id: Type.String(),
  name: orNull(Type.String({ description: "Null if it is not known" })),
});

/** Other fields of the platform are passed on unchanged: `blocks`, `attachments`, `files`, `subtype`, … */
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
      text: Type.Optional(
        orNull(
          Type.String({
            description:
              "Mentions have the form <@name (id:U…)>, which can be sent back; &amp; &lt; &gt; are & < >",
          }),
        ),
      ),
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

/** Adds names and readable times to messages. Names that cannot be looked up are null; that is not an error. */
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

/** All authors; of the others those in the cache, and as many more as can be looked up in reasonable time. */
function peopleIn(client: ChatClient, messages: readonly JsonObject[]): string[] {
  const authors = new Set(messages.flatMap((message) => nonEmptyTextIn(message, "user") ?? []));
  const mentioned = new Set(messages.flatMap((message) => mentionsIn(textIn(message, "text") ?? "")));
  const reacting = new Set(
    messages.flatMap((message) =>
      objectsIn(message, "reactions").flatMap((item) => textsIn(item, "users").filter((id) => id !== "")),
    ),
  );
  return [
    ...authors,
    ...affordable(client, mentioned.difference(authors), MENTIONS_NAMED),
    ...affordable(client, reacting.difference(authors).difference(mentioned), REACTIONS_NAMED),
  ];
}

function affordable(client: ChatClient, ids: ReadonlySet<string>, lookups: number): string[] {
  let left = lookups;
  return [...ids].filter((id) => isCachedUser(client, id) || left-- > 0);
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

/** Names by id. Unknown names are absent. */
type Names = ReadonlyMap<string, string>;

/**
 * The names of these people, from the cache or by one call each. Stops at the first failure: names that are still
 * unknown stay absent, and nothing is thrown.
 */
async function namesOf(client: ChatClient, ids: Iterable<string>): Promise<Names> {
  const names = new Map<string, string>();
  const limiter = new Limiter(IN_FLIGHT);
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
      const user = await limiter.run(() => find(id));
      const name = user === undefined ? null : shownName(user);
      if (name !== null) names.set(id, name);
    }),
  );
  return names;
}
