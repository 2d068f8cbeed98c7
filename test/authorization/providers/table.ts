// Behaviours of providers, one a row: how the record describes the provider, what the provider says, what must become
// of it. Every row is gone through by a browser over HTTP in `conformance.test.ts`.
import type { KeyObject } from "node:crypto";
import type { RecordChanges } from "./record";
import { ANSWERS } from "./rows-of-answers";
import { AUTHENTICATION } from "./rows-of-authentication";
import { QUESTIONS } from "./rows-of-questions";
import { REQUESTS } from "./rows-of-requests";
import { SCOPES } from "./rows-of-scopes";
import type { Place, Script } from "./site";

/** What a request must look like. */
export interface Sent {
  readonly method?: "GET" | "POST";
  /** Parameters that must be there, wherever such a request has them. */
  readonly params?: Readonly<Record<string, string | RegExp>>;
  /** Parameters that must not be there. */
  readonly without?: readonly string[];
  /** The `Authorization` value, Basic credentials as they are before base64; null: none. */
  readonly authorization?: string | null;
  /** Of the content. */
  readonly type?: string;
  /** `client_assertion` is signed by the other half of this key. */
  readonly signedBy?: { readonly key: KeyObject; readonly algorithm: string };
  /** How often it must have been made. Default: once. */
  readonly times?: number;
}

export interface Row extends RecordChanges {
  readonly name: string;
  readonly says: Script;
  /** Scopes that are needed. Default: a and b. */
  readonly scopes?: readonly string[];
  readonly expects: {
    /** Default: completed. */
    readonly status?: "completed" | "failed";
    /** Part of the reason. */
    readonly reason?: string;
    /** Stored scopes. */
    readonly granted?: readonly string[];
    /** Seconds that the token is taken to live; null: not known. */
    readonly life?: number | null;
    readonly refreshable?: boolean;
    /** In auth status and in the list of connections; null: none. */
    readonly userInfo?: unknown;
    readonly sent?: Readonly<Partial<Record<Place, Sent>>>;
    /** Two hours later alice executes: the token with which she is served, or null when she must consent again. */
    readonly later?: string | null;
    /** Stored scopes after that. */
    readonly grantedLater?: readonly string[];
    readonly userInfoLater?: unknown;
    /** No connection at all. */
    readonly nothing?: true;
  };
}

export const ROWS: readonly Row[] = [...REQUESTS, ...AUTHENTICATION, ...ANSWERS, ...SCOPES, ...QUESTIONS];
