// The people of the workspace as on the platform, with corrections of the emulator.
import type { Backend } from "./emulator";
import { record, text, without, type JsonRecord } from "./json";
import { PlatformError } from "./platform-error";

const ZONES: Readonly<Record<string, readonly [zone: string, label: string, offset: number]>> = {
  alice: ["Europe/Berlin", "Central European Time", 3600],
  bob: ["America/New_York", "Eastern Standard Time", -18_000],
  carol: ["Asia/Tokyo", "Japan Standard Time", 32_400],
};
const UTC = ["Etc/UTC", "Coordinated Universal Time", 0] as const;
const UPDATED = 1_700_000_000;

/** On the platform it is an ordinary person except for the name: `is_bot` is false. */
const SLACKBOT_ID = "USLACKBOT";

export interface Team {
  readonly id: string;
  readonly name: string;
}

/** Members with special status, by id. */
export interface SpecialPeople {
  readonly ownerId: string;
  readonly deactivatedId: string;
  readonly externalId: string;
  readonly robotId: string;
  readonly appId: string;
}

export class Directory {
  private readonly backend: Backend;
  private readonly special: SpecialPeople;
  private readonly team: Team;

  constructor(backend: Backend, special: SpecialPeople, team: Team) {
    this.backend = backend;
    this.special = special;
    this.team = team;
  }

  isDeactivated(userId: string): boolean {
    return userId === this.special.deactivatedId;
  }

  /** Everybody in the order of `users.list`, including deactivated people and bots, without external people. */
  async list(callerId: string): Promise<JsonRecord[]> {
    const people = await this.backend.all(callerId, "users.list", "members", {});
    const shown = people.filter((person) => person["id"] !== this.special.externalId);
    return [...shown.map((person) => this.show(person)), this.slackbot()];
  }

  /** Throws `user_not_found`. */
  async find(callerId: string, userId: string): Promise<JsonRecord> {
    if (userId === SLACKBOT_ID) return this.slackbot();
    const answer = await this.backend.call(callerId, "users.info", { user: userId });
    if (answer["ok"] !== true) throw new PlatformError("user_not_found");
    return this.show(record(answer, "user"));
  }

  /** Throws `users_not_found`, also for deactivated and external people. Case is ignored. */
  async findByEmail(callerId: string, email: string): Promise<JsonRecord> {
    const wanted = email.toLowerCase();
    const match = (await this.list(callerId)).find(
      (person) => person["deleted"] !== true && text(record(person, "profile"), "email") === wanted,
    );
    if (match === undefined || wanted === "") throw new PlatformError("users_not_found");
    return match;
  }

  private show(person: JsonRecord): JsonRecord {
    const id = text(person, "id");
    if (id === this.special.externalId) return this.external(person);
    if (id === this.special.deactivatedId) {
      return {
        ...without(person, "real_name", "is_admin"),
        deleted: true,
        profile: this.profile(person),
        is_app_user: false,
        updated: UPDATED,
      };
    }
    const isRobot = id === this.special.robotId;
    return this.member(person, isRobot ? this.robotProfile(person) : this.profile(person), isRobot);
  }

  private member(person: JsonRecord, profile: JsonRecord, isRobot: boolean): JsonRecord {
    const [tz, tz_label, tz_offset] = ZONES[text(person, "name")] ?? UTC;
    const isOwner = person["id"] === this.special.ownerId;
    return {
      ...person,
      deleted: false,
      color: "9f69e7",
      tz,
      tz_label,
      tz_offset,
      profile,
      is_admin: isOwner,
      is_owner: isOwner,
      is_primary_owner: isOwner,
      is_restricted: false,
      is_ultra_restricted: false,
      is_bot: isRobot,
      is_app_user: false,
      updated: UPDATED,
    };
  }

  /** Members of another organization have their real name only in the profile, and no address. */
  private external(person: JsonRecord): JsonRecord {
    return {
      id: person["id"],
      team_id: "T0EXTERNAL",
      name: person["name"],
      deleted: false,
      profile: { ...without(this.profile(person), "email"), team: "T0EXTERNAL" },
      is_stranger: true,
      is_bot: false,
      updated: UPDATED,
    };
  }

  private profile(person: JsonRecord): JsonRecord {
    return { ...record(person, "profile"), team: this.team.id };
  }

  private robotProfile(person: JsonRecord): JsonRecord {
    return { ...without(this.profile(person), "email"), api_app_id: this.special.appId, always_active: true };
  }

  private slackbot(): JsonRecord {
    const name = "slackbot";
    const profile = {
      real_name: "Slackbot",
      display_name: "Slackbot",
      always_active: true,
      team: this.team.id,
    };
    return this.member(
      { id: SLACKBOT_ID, team_id: this.team.id, name, real_name: "Slackbot" },
      profile,
      false,
    );
  }
}

/** `profile.email` is included only for tokens that may read it. */
export function withoutEmail(person: JsonRecord): JsonRecord {
  return { ...person, profile: without(record(person, "profile"), "email") };
}
