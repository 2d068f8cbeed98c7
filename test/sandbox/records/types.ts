// The types of the records sandbox that tests use.

/** A data center. Each has an accounts host, an API host and accounts of its own. */
export type Location = "us" | "eu";

/** The location and names of a user's data. */
export interface DataCenter {
  readonly location: Location;
  /** Origin of the accounts host: consent and tokens. */
  readonly accountsUrl: string;
  /** Origin of the API host: the value of `VENDOR_SERVER_URL` for users of this data center. */
  readonly apiUrl: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly revokeUrl: string;
  readonly clientSecret: string;
  /** Name of the account that owns the applications. */
  readonly owner: string;
}

/** A received request on any host. Completed when it is answered. */
export interface RecordedRequest {
  /** `data.list`, `bulk.create`, `refresh`, …; `unknown` for unknown addresses. */
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
  /** The owner of the token in the `Authorization` header; null if it is unknown or absent. */
  readonly person: string | null;
  /** The answer's HTTP status; null while unanswered and when the connection was reset. */
  readonly status: number | null;
  /** `code` of an API answer, `error` of a token answer; null when there is none. */
  readonly code: number | string | null;
  /** Milliseconds of the sandbox's clock. */
  readonly at: number;
}

/** Faults for `fail`. Each request consumes one. */
export type Fault =
  /** HTTP 429 with code 2955; `Retry-After` in seconds or as a date, absent by default. */
  | { readonly kind: "rate_limit"; readonly retryAfter?: number | Date }
  /** HTTP 200 with code 4000: the account's daily calls are exhausted. */
  | { readonly kind: "quota" }
  /** A code in the platform's form. `textIn`: the field of its text (default `message`; `null`: none). */
  | {
      readonly kind: "refuse";
      readonly status: number;
      readonly code: number;
      readonly text?: string;
      readonly textIn?: "message" | "description" | null;
    }
  /** An error of the token endpoint, HTTP 200 by default. */
  | { readonly kind: "oauth_error"; readonly error: string; readonly status?: number }
  /** This answer without any work. JSON by default. */
  | {
      readonly kind: "answer";
      readonly status?: number;
      readonly body: string;
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** HTTP 5xx (default 500) with an HTML page, without any work. */
  | { readonly kind: "server_error"; readonly status?: number }
  /** The same (default 502) after the work: a gateway lost the answer. */
  | { readonly kind: "server_error_after"; readonly status?: number }
  /** The connection breaks before the work. */
  | { readonly kind: "reset_before" }
  /** The connection breaks after the work, before the answer. */
  | { readonly kind: "reset_after" }
  /** The work is done immediately; the answer follows after this many milliseconds (at most 60,000). */
  | { readonly kind: "slow"; readonly ms: number };

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** A record that is added to a form without the API and its checks: values by field, as text or list of texts. */
export type SeedValues = Readonly<Record<string, string | readonly string[]>>;

/** A record as it is stored; lookups are ids, lists stay lists. */
export interface StoredRecord {
  readonly id: string;
  readonly values: Readonly<Record<string, string | readonly string[]>>;
}

/** The target of a private link. */
export interface PrivateLinks {
  /** Report `All_Products`. */
  readonly products: string;
  /** Form `Products`. */
  readonly productForm: string;
}
