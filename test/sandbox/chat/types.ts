// The words of the chat sandbox: what a test hands in and what it gets to see.

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

/** Who is there at the start. More people: option `extraPeople`. */
export interface People {
  readonly alice: Person;
  readonly bob: Person;
  /** Has an empty display name; is a member of `general` only. */
  readonly carol: Person;
  /** The workspace's owner, member of `general` and `random`. */
  readonly admin: Person;
  /** Deactivated: in `users.list` with `deleted`, unknown by e-mail, cannot be written to. */
  readonly dave: Person;
  /** External: a member of `partners`, absent from `users.list`, name only inside `profile`. */
  readonly erin: Person;
  /** The app's own bot user. */
  readonly robot: Person;
}

/** What channels there are at the start. More: `addChannel`. */
export interface Channels {
  /** Public: everybody but dave and erin. */
  readonly general: Channel;
  /** Public: admin, alice, bob. Carol may read it and may not post. */
  readonly random: Channel;
  /** Private, of the newer kind (`is_channel` true): alice, bob. */
  readonly secret: Channel;
  /** Public and archived: alice, bob. */
  readonly archived: Channel;
  /** Public and shared with another organization: alice, bob, erin. */
  readonly partners: Channel;
}

/** One call of the Web API, the token endpoint included, as it arrived. Filled in when it is answered. */
export interface RecordedRequest {
  /** `chat.postMessage`, `oauth.v2.access`, … */
  readonly method: string;
  readonly verb: string;
  /** The decoded arguments. Values of a JSON body that are no strings are written as JSON. */
  readonly params: Readonly<Record<string, string>>;
  /** Whose token it was; null for an unknown or absent one. */
  readonly userId: string | null;
  readonly token: string | null;
  /** The answer's HTTP status; null while unanswered and when the connection was reset. */
  readonly status: number | null;
  /** `error` of the answer's body, null when it was `ok`. */
  readonly error: string | null;
  /** Milliseconds of the sandbox's clock. */
  readonly at: number;
}

/** A fault of the listing methods, applied while the page is cut. */
export type PageFault =
  /** No items, and a cursor that goes on at the same place. */
  | { readonly kind: "empty_page" }
  /** At most `items` items, and a cursor that goes on after them. */
  | { readonly kind: "short_page"; readonly items: number }
  /** The next cursor is the one that was sent (the first page's own, when none was): following it never ends. */
  | { readonly kind: "repeated_cursor" };

/** What `fail` can do to a request. One fault is used up per request. */
export type Fault =
  | PageFault
  /** HTTP 429, `ratelimited`, with `Retry-After` in seconds or as an HTTP date; `null` leaves the header out. */
  | { readonly kind: "rate_limit"; readonly retryAfter?: number | Date | null }
  /** HTTP 200 with `rate_limited`, as `chat.postMessage` may answer. */
  | { readonly kind: "rate_limited_ok" }
  /** HTTP 5xx (default 503) with an HTML page. */
  | { readonly kind: "server_error"; readonly status?: number }
  | { readonly kind: "empty_body"; readonly status?: number }
  /** HTTP 200 that is not JSON. */
  | { readonly kind: "not_json"; readonly body?: string }
  /** HTTP 200 `{ok:false, error, ...fields}`. */
  | { readonly kind: "error"; readonly error: string; readonly fields?: Readonly<Record<string, unknown>> }
  /** The connection breaks and nothing was done. */
  | { readonly kind: "reset_before" }
  /** The work is done and the connection breaks before the answer. */
  | { readonly kind: "reset_after" }
  /** The work starts only after this many milliseconds (at most 60,000), and not when the caller has gone. */
  | { readonly kind: "delay"; readonly ms: number };

/** A message put into a channel without the Web API: any author, any time, any shape. */
export interface SeededMessage {
  /** A person's name or id, or null for a message without `user` (webhooks, some bots). Default alice. */
  readonly user?: string | null;
  /** Default "". */
  readonly text?: string;
  /** Seconds with six decimals. Default: the sandbox's clock. */
  readonly ts?: string;
  /** Everything else of the wire object: `blocks`, `attachments`, `files`, `reactions`, `subtype`, `thread_ts`, … */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface NewChannel {
  readonly private?: boolean;
  /** Names; the first creates it. Default alice. */
  readonly members?: readonly string[];
  readonly archived?: boolean;
  readonly external?: boolean;
}

export interface StoredMessage {
  readonly ts: string;
  readonly user: string | null;
  readonly text: string;
}
