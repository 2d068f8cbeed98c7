// The words of the records sandbox: what a test hands in and what it gets to see.

/** A data center. Each has an accounts host, an API host and accounts of its own. */
export type Location = "us" | "eu";

/** Where one user's data lives, and under which names. */
export interface DataCenter {
  readonly location: Location;
  /** Origin of the accounts host: consent and tokens. */
  readonly accountsUrl: string;
  /** Origin of the API host: what `VENDOR_SERVER_URL` holds for users of this data center. */
  readonly apiUrl: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly revokeUrl: string;
  readonly clientSecret: string;
  /** Name of the account that owns the applications. */
  readonly owner: string;
}

/** One request as it arrived, on any host. Filled in when it is answered. */
export interface RecordedRequest {
  /** `data.list`, `bulk.create`, `refresh`, …; `unknown` for what leads nowhere. */
  readonly route: string;
  readonly location: Location;
  readonly host: "accounts" | "api";
  readonly method: string;
  /** The raw request target, before any decoding. */
  readonly target: string;
  /** Decoded path segments. */
  readonly path: readonly string[];
  /** Decoded, in order; `+` is a space. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whose token the `Authorization` header carries; null for an unknown or absent one. */
  readonly person: string | null;
  /** The answer's HTTP status; null while unanswered and when the connection was reset. */
  readonly status: number | null;
  /** `code` of an API answer, `error` of a token answer; null when there is none. */
  readonly code: number | string | null;
  /** Milliseconds of the sandbox's clock. */
  readonly at: number;
}

/** What `fail` can do to a request. One fault is used up per request. */
export type Fault =
  /** HTTP 429 with code 2955; `Retry-After` in seconds or as a date, absent unless told. */
  | { readonly kind: "rate_limit"; readonly retryAfter?: number | Date }
  /** HTTP 200 with code 4000: the account's calls of the day are used up. */
  | { readonly kind: "quota" }
  /** A code in the platform's form. `textIn` says where its text stands (default `message`; `null`: nowhere). */
  | {
      readonly kind: "refuse";
      readonly status: number;
      readonly code: number;
      readonly text?: string;
      readonly textIn?: "message" | "description" | null;
    }
  /** An error of the token endpoint, HTTP 200 unless told. */
  | { readonly kind: "oauth_error"; readonly error: string; readonly status?: number }
  /** This very answer, and nothing is done. JSON unless told. */
  | {
      readonly kind: "answer";
      readonly status?: number;
      readonly body: string;
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** HTTP 5xx (default 500) with an HTML page, and nothing is done. */
  | { readonly kind: "server_error"; readonly status?: number }
  /** The same (default 502), after the work was done: a gateway lost the answer. */
  | { readonly kind: "server_error_after"; readonly status?: number }
  /** The connection breaks and nothing was done. */
  | { readonly kind: "reset_before" }
  /** The work is done and the connection breaks before the answer. */
  | { readonly kind: "reset_after" }
  /** The work is done at once; the answer comes only after so many milliseconds (at most 60,000). */
  | { readonly kind: "slow"; readonly ms: number };

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** A record put into a form without the API and without its checks: values by field, as text or list of texts. */
export type SeedValues = Readonly<Record<string, string | readonly string[]>>;

/** A record as it is stored; lookups are ids, lists stay lists. */
export interface StoredRecord {
  readonly id: string;
  readonly values: Readonly<Record<string, string | readonly string[]>>;
}

/** What a private link opens. */
export interface PrivateLinks {
  /** Report `All_Products`. */
  readonly products: string;
  /** Form `Products`. */
  readonly productForm: string;
}
