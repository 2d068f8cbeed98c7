// The types of the chat stand-in.

/** A member of the stand-in workspace. */
export interface Person {
  readonly id: string;
  /** The handle (`name` on the wire); the consent page and the helpers use it too. */
  readonly name: string;
  readonly email: string;
}

export interface Channel {
  readonly id: string;
  readonly name: string;
}

/** The initial people. Add others with the option `extraPeople`. */
export interface People {
  readonly alice: Person;
  readonly bob: Person;
  /** Has an empty display name; is a member of `general` only. */
  readonly carol: Person;
  /** The workspace's owner, member of `general` and `random`. */
  readonly admin: Person;
  /** Deactivated: in `users.list` with `deleted`, unknown by e-mail, cannot be written to. */
  readonly dave: Person;
  /** External: a member of `partners`, not in `users.list`, name only in `profile`. */
  readonly erin: Person;
  /** The app's own bot user. */
  readonly robot: Person;
}

/** The initial channels. Add others with `addChannel`. */
export interface Channels {
  /** Public: everybody except dave and erin. */
  readonly general: Channel;
  /** Public: admin, alice, bob. Carol may read it and may not post. */
  readonly random: Channel;
  /** Private, newer kind (`is_channel` true): alice, bob. */
  readonly secret: Channel;
  /** Public and archived: alice, bob. */
  readonly archived: Channel;
  /** Public and shared with another organization: alice, bob, erin. */
  readonly partners: Channel;
}

/** A call of the Web API or the token endpoint, when it arrives. */
export interface ReceivedCall {
  /** `chat.postMessage`, `oauth.v2.access`, … */
  readonly method: string;
  readonly verb: string;
  /** The decoded arguments. Values of a JSON body that are not strings are serialized as JSON. */
  readonly params: Readonly<Record<string, string>>;
  /** The owner of its token; null if it is unknown or absent. */
  readonly userId: string | null;
  readonly token: string | null;
  /** Milliseconds of the stand-in's clock. */
  readonly at: number;
}

/** What happens to one call. */
export interface Interception {
  /** For a list: a page that differs. Read after `before`. */
  readonly page: PageFault | null;
  /** Waits before the work, or answers instead. */
  before(signal: AbortSignal): Promise<Response | undefined>;
  /** Gets the answer with `error` of its body (null if it was `ok`), and returns what is sent. */
  after(answer: Response, error: string | null): Response;
}

export type Interceptor = (call: ReceivedCall) => Interception;

/** A fault of the list methods, applied to a page. */
export type PageFault =
  /** No items, and a cursor that continues at the same place. */
  | { readonly kind: "empty_page" }
  /** At most `items` items, and a cursor that continues after them. */
  | { readonly kind: "short_page"; readonly items: number }
  /** The next cursor is the one that was sent (or that of the first page), so that following it never ends. */
  | { readonly kind: "repeated_cursor" };

/** A message that is added to a channel without the Web API, with any author, time and shape. */
export interface SeededMessage {
  /** A person's name or id, or null for a message without `user` (webhooks, some bots). Default alice. */
  readonly user?: string | null;
  /** Default "". */
  readonly text?: string;
  /** Seconds with six decimals. Default: the stand-in's clock. */
  readonly ts?: string;
  /** Other fields of the wire object: `blocks`, `attachments`, `files`, `reactions`, `subtype`, `thread_ts`, … */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface NewChannel {
  readonly private?: boolean;
  /** Names; the first is the creator. Default alice. */
  readonly members?: readonly string[];
  readonly archived?: boolean;
  readonly external?: boolean;
}

export interface StoredMessage {
  readonly ts: string;
  readonly user: string | null;
  readonly text: string;
}
