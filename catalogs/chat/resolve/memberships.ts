// The conversations that the user is in. The platform lists them directly; where it refuses that, the whole workspace is
// listed, each type by itself, and the others are left out.
import { ScopesLost, ToolError } from "../../../src/tools";
import { objectsIn } from "../../upstream/json";
import type { ChatClient } from "../client";
import { bySegment, type Part } from "../collect";
import { ALL_TYPES, type PlatformType } from "../conversation-types";
import { CACHE_MS } from "../limits";
import { type ConversationMetadata, conversationMetadata, memberCountIn } from "../records/conversation";
import { scopeOfType } from "../scopes";
import { nextCursorIn } from "../upstream/exchange";
import { codeOf } from "../upstream/failure";
import type { Params } from "../upstream/methods";
import { CHANNELS } from "./channel";
import { Directory } from "./directory";
import { pageOf } from "./listing";
import { segmentsOf } from "./segments";

/** Before cursors of the whole workspace. */
const WHOLE = "all~";
/** With this code the platform refuses to list memberships in some organizations. */
const RESTRICTED = "enterprise_is_restricted";
const KEY = "memberships refused";

type Read = Part<ConversationMetadata>;

export class Memberships {
  readonly #client: ChatClient;
  /** Whether the caller has named the types. */
  readonly #requested: boolean;
  #types: readonly PlatformType[];

  /** @param types the platform's types; undefined for all that the grant covers */
  constructor(client: ChatClient, types: readonly PlatformType[] | undefined) {
    this.#client = client;
    this.#requested = types !== undefined;
    this.#types = types ?? ALL_TYPES;
  }

  /** One page. Throws `ToolError`. */
  async page(cursor: string | undefined, size: number): Promise<Read> {
    const { cache } = this.#client.context;
    if (cursor?.startsWith(WHOLE)) return this.#ofWhole(cursor.slice(WHOLE.length), size);
    if (cursor === undefined && cache.get<true>(KEY)) return this.#ofWhole(undefined, size);
    try {
      return await this.#own(cursor, size);
    } catch (error) {
      if (cursor !== undefined || !isRefused(error)) throw error;
      cache.set(KEY, true, CACHE_MS);
      return this.#ofWhole(undefined, size);
    }
  }

  async #own(cursor: string | undefined, size: number): Promise<Read> {
    try {
      // In one listing: it has nothing else, so that no page is short because others were left out.
      const segments = await segmentsOf(this.#client, [this.#paramsOf(this.#types)]);
      const read = bySegment(segments, (params, after, limit) =>
        this.#read("users.conversations", params, after, limit),
      );
      return await read(cursor, size);
    } catch (error) {
      const granted = this.#requested ? [] : grantedTypes(this.#types, error);
      if (granted.length === 0) throw error;
      this.#types = granted;
      this.#client.context.log("warning", `The grant lacks a scope. Only ${granted.join(", ")} are listed.`);
      return this.#own(cursor, size);
    }
  }

  async #ofWhole(cursor: string | undefined, size: number): Promise<Read> {
    const sources = this.#types.map((type) => this.#paramsOf([type]));
    const segments = await segmentsOf(this.#client, sources);
    const read = bySegment(segments, async (params, after, limit) => {
      try {
        return await this.#read("conversations.list", params, after, limit);
      } catch (error) {
        if (this.#requested || !(error instanceof ScopesLost)) throw error;
        this.#client.context.log(
          "warning",
          `The grant lacks a scope. ${String(params["types"])} is not listed.`,
        );
        return { items: [], counts: 0, next: undefined };
      }
    });
    const { next, ...part } = await read(cursor, size);
    return { ...part, next: next === undefined ? undefined : WHOLE + next };
  }

  async #read(
    method: "users.conversations" | "conversations.list",
    params: Params,
    cursor: string | undefined,
    size: number,
  ): Promise<Read> {
    const client = this.#client;
    const body = await pageOf(client, { method, params }, cursor, size);
    const channels = objectsIn(body, "channels");
    (await Directory.of(client, CHANNELS)).learn(client, channels);
    const conversations = channels.flatMap((channel) => {
      const metadata = conversationMetadata(channel);
      if (metadata === undefined) return [];
      if (method === "conversations.list") return isOwn(metadata) ? [metadata] : [];
      // This listing has nothing else, and counts no members.
      const isCounted = memberCountIn(channel) !== undefined;
      return [isCounted || metadata.conversation_type === "im" ? metadata : uncounted(metadata)];
    });
    return { items: conversations, counts: conversations.length, next: nextCursorIn(body) };
  }

  /** Without `types` the platform lists public channels only. */
  #paramsOf(types: readonly PlatformType[]): Params {
    return { types, exclude_archived: true };
  }
}

function isRefused(error: unknown): boolean {
  if (!(error instanceof ToolError)) return false;
  // What is not understood may be about the method: hosts of other operators do not have all of them.
  return codeOf(error) === RESTRICTED || error.kind === "UPSTREAM_RUNTIME_UNMAPPED";
}

/** The number in the name of a group is that of its members. */
function uncounted(metadata: ConversationMetadata): ConversationMetadata {
  return metadata.conversation_type === "mpim" ? metadata : { ...metadata, num_members: null };
}

/** The types that the grant still covers after the scopes of others were lost; none for any other failure. */
function grantedTypes(types: readonly PlatformType[], error: unknown): PlatformType[] {
  if (!(error instanceof ScopesLost)) return [];
  const granted = types.filter((type) => !error.needed.includes(scopeOfType(type) ?? ""));
  return granted.length === types.length ? [] : granted;
}

/** The platform also lists public channels that the user is not a member of. */
function isOwn({ conversation_type: type, is_member: isMember }: ConversationMetadata): boolean {
  return type === "im" || type === "mpim" || isMember;
}
