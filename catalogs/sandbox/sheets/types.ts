// The types of the spreadsheet stand-in.

/** A call of the interfaces or the token endpoint, when it arrives. */
export interface ReceivedCall {
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
  /** Milliseconds of the stand-in's clock. */
  readonly at: number;
}

/** A page of a list that differs. */
export type PageFault =
  /** For `files.list`: at most this many files on this page, and a token that continues after them. */
  | { readonly kind: "short_page"; readonly items: number }
  /** For `files.list`: the search was incomplete. */
  | { readonly kind: "incomplete_search" };

/** What happens to one call. */
export interface Interception {
  /** For a list: a page that differs. */
  readonly page: PageFault | null;
  /** Waits before the work, or answers instead. */
  before(signal: AbortSignal): Promise<Response | undefined>;
  /** Gets the answer, and returns what is sent. */
  after(answer: Response): Response;
}

export type Interceptor = (call: ReceivedCall) => Interception;

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
