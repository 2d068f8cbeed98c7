// The types of the spreadsheet stand-in that tests use.

/** A received call of the interfaces or the token endpoint. Completed when it is answered. */
export interface RecordedRequest {
  /** `spreadsheets.get`, `files.list`, `userinfo`, `token`, … or `unknown`. */
  readonly method: string;
  readonly verb: string;
  /** The sent text, still encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The JSON of the body, the fields of a form, or null. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** The owner of its token; null if it is unknown or absent. */
  readonly person: string | null;
  readonly token: string | null;
  /** The answer's HTTP status; null while unanswered and when the connection was reset. */
  readonly status: number | null;
  /** Milliseconds of the stand-in's clock. */
  readonly at: number;
}

/** Faults for `fail`. Each request consumes one. */
export type Fault =
  /** HTTP 429 with `Retry-After` in seconds or as an HTTP date; without one there is no header. */
  | { readonly kind: "rate_limit"; readonly retryAfter?: number | Date }
  /** HTTP 403 in the file interface's form, with this reason; default `userRateLimitExceeded`. */
  | {
      readonly kind: "drive_error";
      readonly reason?: string;
      readonly message?: string;
      readonly code?: number;
    }
  /** A refusal in the newer form, with `reason` in its details. */
  | {
      readonly kind: "error";
      readonly code: number;
      readonly status: string;
      readonly message: string;
      readonly reason?: string;
    }
  /** HTTP 5xx (default 503) with an HTML page of a proxy. */
  | { readonly kind: "server_error"; readonly status?: number; readonly retryAfter?: number | Date }
  /** HTTP 200 that is not JSON. */
  | { readonly kind: "not_json"; readonly body?: string }
  /** The connection breaks before the work. */
  | { readonly kind: "reset_before" }
  /** The connection breaks after the work, before the answer. */
  | { readonly kind: "reset_after" }
  /** The answer is HTTP 503 after the work. */
  | { readonly kind: "late_server_error" }
  /** The work starts after this many milliseconds, unless the caller has disconnected. */
  | { readonly kind: "delay"; readonly ms: number }
  /** For `files.list`: at most this many files on this page, and a token that continues after them. */
  | { readonly kind: "short_page"; readonly items: number }
  /** For `files.list`: the search was incomplete. */
  | { readonly kind: "incomplete_search" };

/** The content of a cell of a new file, as if typed. */
export type SeededCells = Readonly<Record<string, string | number | boolean>>;

export interface SeededSheet {
  readonly title: string;
  readonly sheetId?: number;
  readonly rows?: number;
  readonly columns?: number;
  readonly hidden?: boolean;
  /** A sheet of a chart, without cells. */
  readonly chart?: boolean;
  /** A sheet that shows a data source. */
  readonly dataSource?: boolean;
  /** `A1` → value. */
  readonly cells?: SeededCells;
}

export interface SeededFile {
  readonly title?: string;
  /** `en_US` (default), `de_DE`, `fr_FR` or `tr_TR`. */
  readonly locale?: string;
  /** Default: one sheet, `Sheet1`. */
  readonly sheets?: readonly SeededSheet[];
  /** A person's name; default alice. */
  readonly owner?: string;
  /** Whether the owner has opened it with the application; default true. */
  readonly opened?: boolean;
  readonly driveId?: string;
  readonly trashed?: boolean;
  readonly starred?: boolean;
  /** Whether a person has allowed formulas to load something from outside; default false. */
  readonly externalAccess?: boolean;
  /** Shared with everybody in the owner's organization. */
  readonly domainShared?: boolean;
  readonly mimeType?: string;
  /** Milliseconds; default: the clock. */
  readonly createdAt?: number;
  readonly modifiedAt?: number;
}

/** A cell for assertions. */
export interface SeenCell {
  readonly entered: string | number | boolean | null;
  readonly shown: string;
  readonly pattern: string | null;
  readonly note: string | null;
}

export interface SeenSheet {
  readonly sheetId: number;
  readonly title: string;
  readonly rowCount: number;
  readonly columnCount: number;
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly refreshToken?: string;
}
