// From the selector of a tool to the conversation that it means.
import type { ChatClient } from "../client";
import { channelName, withChannel } from "./channel";
import { openConversation } from "./opening";
import type { Selector } from "./selector";

/** What is done with the conversation; `subject` names it in errors as the caller did. */
export type Use<Result> = (id: string, subject: string) => Promise<Result>;

/** Finds the conversation, creates it when it is one with people and does not exist, and calls `use` with its id. */
export async function withConversation<Result>(
  client: ChatClient,
  selector: Selector,
  use: Use<Result>,
): Promise<Result> {
  switch (selector.kind) {
    case "id":
      return use(selector.id, `conversation "${selector.id}"`);
    case "channel": {
      const name = channelName(selector.name);
      return withChannel(client, name, (id) => use(id, `channel "${name}" (${id})`));
    }
    case "people": {
      const id = await openConversation(client, selector.people);
      return use(id, `conversation "${id}"`);
    }
  }
}
