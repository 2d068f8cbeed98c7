// The conversations as on the platform. The emulator stores them, but it names direct messages, mislabels newer private
// channels and group messages, counts members where the platform does not, and has no notes to oneself.
import type { Backend } from "./emulator";
import type { Directory, Team } from "./directory";
import { record, strings, text, type JsonRecord } from "./json";
import { PlatformError } from "./platform-error";
import type { ConversationKind } from "./scopes";

/** The context of a record: only lists count members, and membership lists have neither count nor membership. */
export type View = "list" | "info" | "info_with_count" | "memberships";

export interface Conversation {
  /** The public id; the emulator's id is `innerId`. */
  readonly id: string;
  readonly innerId: string;
  readonly kind: ConversationKind;
  readonly isMember: boolean;
  readonly isArchived: boolean;
  readonly raw: JsonRecord;
}

export class Conversations {
  /** Notes to oneself: the emulator has none, so a private channel of one member is used. */
  private readonly notes = new Map<string, { readonly id: string; readonly owner: string }>();
  private readonly notesInTheMaking = new Map<string, Promise<string>>();
  private readonly groupNames = new Map<string, string>();
  readonly external = new Set<string>();

  private readonly backend: Backend;
  private readonly directory: Directory;
  private readonly team: Team;

  constructor(backend: Backend, directory: Directory, team: Team) {
    this.backend = backend;
    this.directory = directory;
    this.team = team;
  }

  /** Throws `channel_not_found`: unknown, a name instead of an id, or private and the caller is not a member. */
  async find(callerId: string, id: string): Promise<Conversation> {
    const answer = await this.backend.call(callerId, "conversations.info", { channel: this.innerId(id) });
    if (answer["ok"] !== true) throw new PlatformError("channel_not_found");
    const conversation = this.read(record(answer, "channel"));
    // The substitute for notes is found only by its public id.
    if (conversation.id !== id) throw new PlatformError("channel_not_found");
    return conversation;
  }

  /** Everything that `callerId` can see: public channels, and its own memberships. */
  async visible(callerId: string): Promise<Conversation[]> {
    const types = "public_channel,private_channel,mpim,im";
    const channels = await this.backend.all(callerId, "conversations.list", "channels", { types });
    return channels.map((raw) => this.read(raw));
  }

  async members(callerId: string, conversation: Conversation): Promise<string[]> {
    const answer = await this.backend.must(callerId, "conversations.members", {
      channel: conversation.innerId,
    });
    return strings(answer, "members");
  }

  /** The caller's notes to oneself, created on first use; null if they do not exist and must not be created. */
  async ownNotes(callerId: string, create: boolean): Promise<Conversation | null> {
    const known = this.notesInTheMaking.get(callerId);
    if (known === undefined && !create) return null;
    const id = known ?? this.makeNotes(callerId);
    this.notesInTheMaking.set(callerId, id);
    return this.find(callerId, await id);
  }

  /** Undefined for a conversation that is not notes to oneself. */
  ownerOfNotes(innerId: string): string | undefined {
    return this.notes.get(innerId)?.owner;
  }

  private async makeNotes(callerId: string): Promise<string> {
    const name = `notes-${callerId.toLowerCase()}`;
    const answer = await this.backend.must(callerId, "conversations.create", { name, is_private: "true" });
    const innerId = text(record(answer, "channel"), "id");
    const id = `D${innerId.slice(1)}`;
    this.notes.set(innerId, { id, owner: callerId });
    return id;
  }

  /** The record as the platform sends it. */
  async show(callerId: string, conversation: Conversation, view: View): Promise<JsonRecord> {
    if (conversation.kind === "im") return this.showDirect(callerId, conversation);
    const { raw, kind } = conversation;
    const isGroup = kind === "mpim";
    const name = isGroup ? await this.groupName(callerId, conversation) : text(raw, "name");
    const isExternal = this.external.has(conversation.innerId);
    const counts = view === "list" || view === "info_with_count";
    return {
      id: conversation.id,
      name,
      name_normalized: name,
      is_channel: !isGroup,
      is_group: isGroup,
      is_im: false,
      is_mpim: isGroup,
      is_private: kind !== "public_channel",
      is_archived: conversation.isArchived,
      is_general: name === "general",
      created: raw["created"],
      updated: Number(raw["created"]) * 1000,
      unlinked: 0,
      is_shared: isExternal,
      is_ext_shared: isExternal,
      is_org_shared: false,
      is_pending_ext_shared: false,
      context_team_id: this.team.id,
      creator: raw["creator"],
      topic: raw["topic"],
      purpose: isGroup ? groupPurpose(name, raw) : raw["purpose"],
      previous_names: [],
      ...(view === "memberships" ? {} : { is_member: conversation.isMember }),
      ...(counts ? { num_members: raw["num_members"] } : {}),
    };
  }

  /** Direct messages have no name, topic, purpose, count or membership flag. */
  private showDirect(callerId: string, conversation: Conversation): JsonRecord {
    const { raw } = conversation;
    const user = this.notes.get(conversation.innerId)?.owner ?? (text(raw, "user") || callerId);
    return {
      id: conversation.id,
      created: raw["created"],
      updated: Number(raw["created"]) * 1000,
      is_archived: false,
      is_im: true,
      is_org_shared: false,
      context_team_id: this.team.id,
      user,
      is_user_deleted: this.directory.isDeactivated(user),
      priority: 0,
    };
  }

  private innerId(id: string): string {
    for (const [innerId, entry] of this.notes) if (entry.id === id) return innerId;
    return id;
  }

  private read(raw: JsonRecord): Conversation {
    const innerId = text(raw, "id");
    const notes = this.notes.get(innerId);
    const kind = notes === undefined ? kindOf(raw) : "im";
    return {
      id: notes?.id ?? innerId,
      innerId,
      kind,
      isMember: raw["is_member"] === true,
      isArchived: raw["is_archived"] === true,
      raw,
    };
  }

  /** `mpdm-alice--bob--carol-1`: all members, starting with the creator. */
  private async groupName(callerId: string, conversation: Conversation): Promise<string> {
    const known = this.groupNames.get(conversation.innerId);
    if (known !== undefined) return known;
    const ids = await this.members(callerId, conversation);
    const people = await Promise.all(ids.map((id) => this.directory.find(callerId, id)));
    const name = `mpdm-${people.map((person) => text(person, "name")).join("--")}-1`;
    this.groupNames.set(conversation.innerId, name);
    return name;
  }
}

function kindOf(raw: JsonRecord): ConversationKind {
  if (raw["is_im"] === true) return "im";
  if (raw["is_mpim"] === true) return "mpim";
  return raw["is_private"] === true ? "private_channel" : "public_channel";
}

function groupPurpose(name: string, raw: JsonRecord): JsonRecord {
  const handles = name
    .replace(/^mpdm-/, "")
    .replace(/-\d+$/, "")
    .split("--");
  const value = `Group messaging with: ${handles.map((handle) => `@${handle}`).join(" ")}`;
  return { ...record(raw, "purpose"), value };
}
