// Conversations and their messages as text, so that a later run has them. The emulator gives people and channels other ids in
// each run.
import type { Conversation } from "./conversations";
import { type JsonRecord, text } from "./json";
import { compareTimestamps } from "./timestamps";
import type { Workspace } from "./workspace";

export interface SavedConversations {
  /** Ids of this run. */
  people: [id: string, name: string][];
  conversations: SavedConversation[];
  /** Ids of earlier runs, and of this one. */
  former: [former: string, id: string][];
}

interface SavedConversation {
  id: string;
  kind: Conversation["kind"];
  name: string;
  /** Names; the creator first. */
  members: string[];
  archived: boolean;
  external: boolean;
  /** Notes to oneself: of whom. */
  owner?: string;
  messages: JsonRecord[];
}

export async function savedConversations(workspace: Workspace): Promise<SavedConversations> {
  const saved: SavedConversation[] = [];
  for (const [viewerId, conversation] of await everyConversation(workspace))
    saved.push(await savedOne(workspace, viewerId, conversation));
  return {
    people: workspace.everybody.map(({ id, name }) => [id, name]),
    conversations: saved,
    former: [...workspace.formerConversations],
  };
}

/** Creates what is missing, and sends the messages again with their times. */
export async function restoreConversations(workspace: Workspace, saved: SavedConversations): Promise<void> {
  const known = new Map(
    (await everyConversation(workspace)).map(([, { raw, id }]) => [text(raw, "name"), id]),
  );
  const ids = new Map(saved.people.map(([id, name]) => [id, workspace.person(name).id]));
  for (const conversation of saved.conversations) {
    const id = known.get(conversation.name) ?? (await created(workspace, conversation));
    ids.set(conversation.id, id);
  }
  const renamed = replacing(ids);
  for (const { id, archived, messages } of saved.conversations) {
    // Nothing can be sent to an archived one.
    if (archived) continue;
    for (const message of messages) await sendAgain(workspace, ids.get(id) ?? id, renamed(message));
  }
  for (const { id } of saved.conversations) workspace.formerConversations.set(id, ids.get(id) ?? id);
  for (const [former, id] of saved.former) workspace.formerConversations.set(former, ids.get(id) ?? id);
}

/** Each one with a person who sees it, oldest first. */
async function everyConversation(
  workspace: Workspace,
): Promise<readonly (readonly [string, Conversation])[]> {
  const found = new Map<string, readonly [string, Conversation]>();
  for (const { id: viewerId } of workspace.everybody) {
    for (const conversation of await workspace.conversations.visible(viewerId)) {
      const isBetter = conversation.isMember || conversation.kind === "im";
      if (isBetter || !found.has(conversation.innerId))
        found.set(conversation.innerId, [viewerId, conversation]);
    }
  }
  return [...found.values()].toSorted(
    ([, left], [, right]) => Number(left.raw["created"]) - Number(right.raw["created"]),
  );
}

async function savedOne(
  workspace: Workspace,
  viewerId: string,
  conversation: Conversation,
): Promise<SavedConversation> {
  const { conversations } = workspace;
  const { id, innerId, kind, raw, isArchived } = conversation;
  const creator = text(raw, "creator");
  const members = await conversations.members(viewerId, conversation);
  const ordered = members.toSorted((left, right) => Number(right === creator) - Number(left === creator));
  const owner = conversations.ownerOfNotes(innerId);
  const messages = await workspace.readMessages(viewerId, innerId);
  return {
    id,
    kind,
    name: kind === "im" || kind === "mpim" ? "" : text(raw, "name"),
    members: ordered.map((member) => workspace.person(member).name),
    archived: isArchived,
    external: conversations.external.has(innerId),
    ...(owner === undefined ? {} : { owner: workspace.person(owner).name }),
    messages: messages.toSorted((left, right) => compareTimestamps(text(left, "ts"), text(right, "ts"))),
  };
}

async function created(workspace: Workspace, saved: SavedConversation): Promise<string> {
  const { kind, name, members, archived, external, owner } = saved;
  if (owner !== undefined) {
    const notes = await workspace.conversations.ownNotes(workspace.person(owner).id, true);
    return notes?.id ?? "";
  }
  if (kind === "im" || kind === "mpim") return workspace.openDirect(members);
  const isPrivate = kind === "private_channel";
  const channel = await workspace.addChannel(name, { private: isPrivate, members, archived, external });
  return channel.id;
}

async function sendAgain(workspace: Workspace, channelId: string, message: JsonRecord): Promise<void> {
  const { user, text: content, ts, ...fields } = message;
  const author = workspace.everybody.find(({ id }) => id === user);
  await workspace.addMessage(channelId, {
    user: author?.name ?? null,
    text: String(content),
    ts: String(ts),
    fields: author === undefined && user !== undefined ? { ...fields, user } : fields,
  });
}

/** Replaces ids anywhere in a message: mentions contain them, too. */
function replacing(ids: ReadonlyMap<string, string>): (message: JsonRecord) => JsonRecord {
  return (message) => {
    let written = JSON.stringify(message);
    for (const [former, id] of ids) written = written.replaceAll(former, id);
    // The same record with other ids.
    return JSON.parse(written) as JsonRecord;
  };
}
