// The types of the records stand-in.
import type { Answer, Reply } from "./server";

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

/** A request on any host, when it arrives. */
export interface ReceivedCall {
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
  /** Milliseconds of the stand-in's clock. */
  readonly at: number;
}

/** What happens to one call. */
export interface Interception {
  /** Answers instead of the stand-in. */
  before(): Answer | undefined;
  /** Gets the answer with `code` of an API answer, `error` of a token answer, or null; returns what is sent. */
  after(reply: Reply, code: number | string | null): Answer;
}

export type Interceptor = (call: ReceivedCall) => Interception;

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
