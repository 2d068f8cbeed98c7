// The types of the chat sandbox that tests use.

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

/** A received call of the Web API or the token endpoint. Completed when it is answered. */
export interface RecordedRequest {
  /** `chat.postMessage`, `oauth.v2.access`, … */
  readonly method: string;
  readonly verb: string;
  /** The decoded arguments. Values of a JSON body that are not strings are serialized as JSON. */
  readonly params: Readonly<Record<string, string>>;
  /** The owner of its token; null if it is unknown or absent. */
  readonly userId: string | null;
  readonly token: string | null;
  /** The answer's HTTP status; null while unanswered and when the connection was reset. */
  readonly status: number | null;
  /** `error` of the answer's body, null if it was `ok`. */
  readonly error: string | null;
  /** Milliseconds of the sandbox's clock. */
  readonly at: number;
}

/** A fault of the list methods, applied to a page. */
export type PageFault =
  /** No items, and a cursor that continues at the same place. */
  | { readonly kind: "empty_page" }
  /** At most `items` items, and a cursor that continues after them. */
  | { readonly kind: "short_page"; readonly items: number }
  /** The next cursor is the one that was sent (or that of the first page), so that following it never ends. */
  | { readonly kind: "repeated_cursor" };

/** Faults for `fail`. Each request consumes one. */
export type Fault =
  | PageFault
  /** HTTP 429, `ratelimited`, with `Retry-After` in seconds or as an HTTP date; `null` omits the header. */
  | { readonly kind: "rate_limit"; readonly retryAfter?: number | Date | null }
  /** HTTP 200 with `rate_limited`, as `chat.postMessage` may return. */
  | { readonly kind: "rate_limited_ok" }
  /** HTTP 5xx (default 503) with an HTML page. */
  | { readonly kind: "server_error"; readonly status?: number }
  | { readonly kind: "empty_body"; readonly status?: number }
  /** HTTP 200 that is not JSON. */
  | { readonly kind: "not_json"; readonly body?: string }
  /** HTTP 200 `{ok:false, error, ...fields}`. */
  | { readonly kind: "error"; readonly error: string; readonly fields?: Readonly<Record<string, unknown>> }
  /** The connection breaks before the work. */
  | { readonly kind: "reset_before" }
  /** The connection breaks after the work, before the answer. */
  | { readonly kind: "reset_after" }
  /** The work starts after this many milliseconds (at most 60,000), unless the caller has disconnected. */
  | { readonly kind: "delay"; readonly ms: number };

/** A message that is added to a channel without the Web API, with any author, time and shape. */
export interface SeededMessage {
  /** A person's name or id, or null for a message without `user` (webhooks, some bots). Default alice. */
  readonly user?: string | null;
  /** Default "". */
  readonly text?: string;
  /** Seconds with six decimals. Default: the sandbox's clock. */
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
