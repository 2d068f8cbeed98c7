// Chat.GetConversationMetadata: everything about a conversation except its messages.
import { Type } from "typebox";
import { defineTool, type ToolContext, upstreamFailed, upstreamNotFound } from "../../../src/tools";
import { ChatClient } from "../client";
import { grantWith, READS } from "../metadata";
import { ConversationMetadata, conversationMetadata } from "../records/conversation";
import { type Found, withExisting } from "../resolve/conversation";
import { withNames } from "../resolve/names";
import { judgeSelector } from "../resolve/judge";
import { SELECTOR_PARAMETERS, type SelectorInput, selectorOf } from "../resolve/selector";
import { READ_CONVERSATIONS, READ_USERS } from "../scopes";
import { objectIn } from "../../upstream/json";

export const getConversationMetadata = defineTool({
  name: "GetConversationMetadata",
  description:
    "Returns the metadata of a conversation (type, purpose, size, membership), given by its id, by the channel's " +
    "name, or by the people in it.",
  input: Type.Object(SELECTOR_PARAMETERS),
  output: ConversationMetadata,
  authorization: grantWith([...READ_CONVERSATIONS, ...READ_USERS]),
  metadata: READS,
  judge: judgeSelector,
  run: (input, context) => metadataOf(context, input),
});

/** Throws not found if there is no conversation with these people yet: reading never creates one. */
export async function metadataOf(context: ToolContext, input: SelectorInput): Promise<ConversationMetadata> {
  const selector = selectorOf(input);
  const client = new ChatClient(context);
  const metadata = await withExisting(client, selector, (found) => describe(client, found));
  if (metadata === undefined) {
    throw upstreamNotFound(
      "There is no conversation with these people yet. Send them a message to create it.",
    );
  }
  return metadata;
}

async function describe(client: ChatClient, found: Found): Promise<ConversationMetadata> {
  const metadata = await recordOf(client, found);
  const [named = metadata] = await withNames(client, [metadata]);
  return named;
}

async function recordOf(client: ChatClient, found: Found): Promise<ConversationMetadata> {
  if (found.record !== undefined) return found.record;
  const { direct } = found;
  // Opening may return only the id.
  const isComplete = direct?.["is_im"] === true || direct?.["is_mpim"] === true;
  const conversation = isComplete ? direct : await info(client, found);
  const metadata = conversationMetadata(conversation);
  if (metadata === undefined) throw upstreamFailed("The platform answered without a conversation.");
  return metadata;
}

async function info(client: ChatClient, { id: channel, subject }: Found) {
  const params = { channel, include_num_members: true };
  return objectIn(await client.call("conversations.info", params, { subject }), "channel");
}
