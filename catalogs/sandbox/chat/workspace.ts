// The workspace: its initial people and channels, and additions by tests without the Web API.
import { Conversations } from "./conversations";
import { Directory, type Team } from "./directory";
import { Backend, type InnerApp } from "./emulator";
import { record, text, type JsonRecord } from "./json";
import { MessageBook } from "./message-book";
import { compareTimestamps } from "./timestamps";
import type { Channel, Channels, NewChannel, People, Person, SeededMessage, StoredMessage } from "./types";

/** The emulator's first person and channels have fixed ids. */
const ADMIN_ID = "U000000001";
const GENERAL: Channel = { id: "C000000001", name: "general" };
const RANDOM: Channel = { id: "C000000002", name: "random" };
const TEAM: Team = { id: "T000000001", name: "Sandbox" };
const ROBOT = "robot";
/** The maximum of one invitation. */
const MOST_INVITED = 100;

export const APP: InnerApp = { appId: "A0SANDBOX01", name: "Runtime (sandbox)", botName: ROBOT };

export interface WorkspaceOptions {
  readonly now: () => number;
  readonly extraPeople: readonly string[];
  readonly organization: Team | null;
  readonly restrictsMemberships?: boolean;
}

export class Workspace {
  readonly team = TEAM;
  readonly backend: Backend;
  /** In the order of `users.list`, external people included. */
  readonly everybody: readonly Person[];
  readonly book: MessageBook;
  readonly organization: Team | null;
  readonly restrictsMemberships: boolean;
  readonly people: People;
  readonly directory: Directory;
  readonly conversations: Conversations;
  /** Ids that conversations had in an earlier run → those that they have now. */
  readonly formerConversations = new Map<string, string>();

  private constructor(backend: Backend, everybody: readonly Person[], options: WorkspaceOptions) {
    this.backend = backend;
    this.everybody = everybody;
    this.book = new MessageBook(options.now);
    this.organization = options.organization;
    this.restrictsMemberships = options.restrictsMemberships === true;
    this.people = startingPeople(everybody);
    const { admin, dave, erin, robot } = this.people;
    const special = { ownerId: admin.id, deactivatedId: dave.id, externalId: erin.id, robotId: robot.id };
    this.directory = new Directory(backend, { ...special, appId: APP.appId }, TEAM);
    this.conversations = new Conversations(backend, this.directory, TEAM);
  }

  static async start(options: WorkspaceOptions): Promise<Workspace> {
    const names = ["alice", "bob", "carol", "dave", "erin", ...options.extraPeople];
    const team = { name: TEAM.name, domain: "sandbox" };
    const backend = await Backend.start({ team, users: names.map(seededPerson) }, APP);
    const everybody = await backend.all(ADMIN_ID, "users.list", "members", {});
    return new Workspace(backend, everybody.map(personOf), options);
  }

  /** Creates the initial channels sequentially, so that lists always have the same order. */
  async seedChannels(): Promise<Channels> {
    const { alice, bob } = this.people;
    const insiders = this.everybody.filter(({ name }) => !["admin", "dave", "erin"].includes(name));
    await this.invite(ADMIN_ID, GENERAL.id, insiders);
    await this.invite(ADMIN_ID, RANDOM.id, [alice, bob]);
    return {
      general: GENERAL,
      random: RANDOM,
      secret: await this.addChannel("secret", { private: true, members: ["alice", "bob"] }),
      archived: await this.addChannel("old-news", { members: ["alice", "bob"], archived: true }),
      partners: await this.addChannel("partners", { members: ["alice", "bob", "erin"], external: true }),
    };
  }

  /** Throws an ordinary error for an unknown name or id, which is a mistake in the test. */
  person(nameOrId: string): Person {
    const person = this.everybody.find(({ name, id }) => name === nameOrId || id === nameOrId);
    if (person === undefined) throw new Error(`The sandbox has no person ${nameOrId}.`);
    return person;
  }

  /** People who can sign in: members of this workspace that are neither bots nor deactivated. */
  signInNames(): string[] {
    const absent = [this.people.dave.name, this.people.erin.name, this.people.robot.name];
    return this.everybody.map(({ name }) => name).filter((name) => !absent.includes(name));
  }

  async addChannel(name: string, options: NewChannel): Promise<Channel> {
    const [creator, ...others] = (options.members ?? ["alice"]).map((member) => this.person(member));
    if (creator === undefined) throw new Error("A channel needs a member.");
    const body = await this.backend.must(creator.id, "conversations.create", {
      name,
      is_private: String(options.private ?? false),
    });
    const id = text(record(body, "channel"), "id");
    await this.invite(creator.id, id, others);
    if (options.archived === true)
      await this.backend.must(creator.id, "conversations.archive", { channel: id });
    if (options.external === true) this.conversations.external.add(id);
    return { id, name };
  }

  /** Opens the direct or group message of these people, by their names; the first opens it. */
  async openDirect([opener = "", ...others]: readonly string[]): Promise<string> {
    const users = others.map((name) => this.person(name).id).join(",");
    const body = await this.backend.must(this.person(opener).id, "conversations.open", { users });
    return text(record(body, "channel"), "id");
  }

  /** Adds a message to a conversation; returns its timestamp. */
  async addMessage(channelId: string, message: SeededMessage): Promise<string> {
    const { viewerId, innerId } = await this.insider(channelId);
    const user = message.user === null ? null : this.person(message.user ?? "alice").id;
    const ts = message.ts ?? this.book.nextTs();
    const content = message.text ?? "";
    // The emulator stores a placeholder, which is never shown.
    const body = await this.backend.must(viewerId, "chat.postMessage", {
      channel: innerId,
      text: "(seeded)",
    });
    const shown = {
      type: "message",
      ...(user === null ? {} : { user }),
      text: content,
      ts,
      ...message.fields,
    };
    this.book.seed(text(body, "ts"), shown);
    return ts;
  }

  /** The messages of a conversation, oldest first. */
  async storedMessages(channelId: string): Promise<StoredMessage[]> {
    const { viewerId, innerId } = await this.insider(channelId);
    const messages = await this.readMessages(viewerId, innerId);
    return messages
      .map((message) => ({
        ts: text(message, "ts"),
        user: text(message, "user") || null,
        text: text(message, "text"),
      }))
      .toSorted((left, right) => compareTimestamps(left.ts, right.ts));
  }

  /** All messages of a conversation in public form, unordered. */
  async readMessages(viewerId: string, innerId: string): Promise<JsonRecord[]> {
    const channel = { channel: innerId };
    const messages = await this.backend.all(viewerId, "conversations.history", "messages", channel);
    return messages.map((message) => this.book.show(message));
  }

  stop(): Promise<void> {
    return this.backend.stop();
  }

  private async invite(inviterId: string, channel: string, people: readonly Person[]): Promise<void> {
    for (let start = 0; start < people.length; start += MOST_INVITED) {
      const some = people.slice(start, start + MOST_INVITED);
      const users = some.map(({ id }) => id).join(",");
      await this.backend.must(inviterId, "conversations.invite", { channel, users });
    }
  }

  /** A member of the conversation, to read or write with. */
  private async insider(channelId: string): Promise<{ viewerId: string; innerId: string }> {
    for (const { id } of this.everybody) {
      const conversation = await this.conversations.find(id, channelId).catch(() => null);
      if (conversation !== null) return { viewerId: id, innerId: conversation.innerId };
    }
    throw new Error(`The sandbox has no conversation ${channelId}.`);
  }
}

function seededPerson(name: string): JsonRecord {
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  return {
    name,
    real_name: `${capital} Example`,
    email: `${name}@sandbox.example`,
    profile: {
      display_name: name === "carol" ? "" : capital,
      first_name: capital,
      last_name: "Example",
      title: "Tester",
      phone: "+1 555 0100",
      pronouns: "they/them",
      image_24: `https://avatars.example/${name}-24.png`,
      image_48: `https://avatars.example/${name}-48.png`,
      image_192: `https://avatars.example/${name}-192.png`,
      image_512: `https://avatars.example/${name}-512.png`,
    },
  };
}

function personOf(member: JsonRecord): Person {
  const email = text(record(member, "profile"), "email");
  return { id: text(member, "id"), name: text(member, "name"), email };
}

function startingPeople(everybody: readonly Person[]): People {
  const named = (name: string): Person => {
    const person = everybody.find((candidate) => candidate.name === name);
    if (person === undefined) throw new Error(`The emulator did not seed ${name}.`);
    return person;
  };
  return {
    alice: named("alice"),
    bob: named("bob"),
    carol: named("carol"),
    admin: named("admin"),
    dave: named("dave"),
    erin: named("erin"),
    robot: named(ROBOT),
  };
}
