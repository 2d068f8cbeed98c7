// Every answer code that the platform documents for the routes that are called: what it means to the caller, and what to
// tell. From its pages of status codes (…/creator/help/api/v2/status-codes.html and …/v2.1/…); codes that are not on them
// name their source. The texts that come with the codes are not part of its API contract. Whatever the HTTP status, an
// answer with one of these codes other than 3000 means that nothing was done; only 5xx and broken answers leave it open.
import type { Role } from "../roles";

/** The only success, whatever the HTTP status. */
export const DONE = 3000;
/** One code for a missing, an invalid and an expired token. */
export const TOKEN_REFUSED = 1030;
export const SCOPE_MISSING = 2945;
/** Too many calls per minute or at the same time. */
export const RATE_LIMITED = 2955;

/** Nothing matches, or the page is past the end. Some routes answer the second. */
const NO_MATCH: ReadonlySet<number> = new Set([3100, 9280]);

export function matchesNothing(code: number | undefined): code is number {
  return code !== undefined && NO_MATCH.has(code);
}

/**
 * dead: the grant. scope: a permission of it. missing: what was addressed. quota: calls of the day. refused: by rights or
 * settings. fault: a call that this catalog must not make.
 */
export type Meaning =
  | "done"
  | "dead"
  | "scope"
  | "throttled"
  | "missing"
  | "quota"
  | "refused"
  | "unauthorized"
  | "input"
  | "fault";

export interface Entry {
  meaning: Meaning;
  /** Added to the platform's message. */
  hint: string;
  /** What to do, for the model. Absent: the next step of all errors of this kind. */
  next?: string;
  /** What does not exist or cannot be used, for the parameter that names it. */
  role?: Role | "criteria";
  /** The tool that lists what exists instead. */
  lister?: string;
  /** The hint ends with the flag of the tool that processes a part, if it has one and it is not set. */
  narrow?: true;
  /** Also for a private link, whose key may be wrong. */
  keyed?: true;
  /** Where the code is described, if not on the pages of status codes. */
  source?: string;
}

const TELL = "Tell the user. Call again only after this has been changed at the platform.";
const FIELDS = "VendorCreatorApi.FetchVendorFormFieldsMetadata lists the fields with their types and rules.";

const missing = (hint: string, more: Partial<Entry> = {}): Entry => ({ meaning: "missing", hint, ...more });
const refused = (hint: string, more: Partial<Entry> = {}): Entry => ({
  meaning: "refused",
  hint,
  next: TELL,
  ...more,
});
const input = (hint: string, more: Partial<Entry> = {}): Entry => ({ meaning: "input", hint, ...more });

export const CODES: Readonly<Record<number, Entry>> = {
  1000: input("The address or a parameter is not valid."),
  1020: { meaning: "fault", hint: "The platform does not offer this call." },
  1030: { meaning: "dead", hint: "The platform does not accept the user's token." },
  1040: missing("This account owner does not exist.", { role: "owner", lister: "GetApplicationMetaInfo" }),
  1060: refused("The application is not shared with this user."),
  1080: refused("The application is disabled."),
  1090: missing("This component does not exist.", { lister: "FetchVendorAppSections" }),
  1130: refused("API access is disabled for this user's permission set."),
  2892: missing("This application does not exist.", {
    role: "application",
    lister: "GetApplicationMetaInfo",
  }),
  2893: missing("This form does not exist.", { role: "form", lister: "FetchVendorFormMetaInformation" }),
  2894: missing("This report does not exist.", { role: "report", lister: "FetchVendorReportsMeta" }),
  2896: refused("This user may not delete these records.", { keyed: true }),
  2897: refused("This user may not change these records.", { keyed: true }),
  2898: refused("This user may not see these records.", { keyed: true }),
  2899: refused("This user may not add records here.", { keyed: true }),
  2930: input(
    "The account owner may not be the application's `workspace_name`, or the account uses another version of the API.",
    { role: "owner" },
  ),
  2933: refused("The application is not shared with this user."),
  2945: { meaning: "scope", hint: "The user's grant lacks a permission." },
  2955: { meaning: "throttled", hint: "Too many calls in a minute, or at the same time." },
  2965: refused("The form accepts no more entries."),
  3000: { meaning: "done", hint: "Success." },
  3001: input("The form's validation refused the values.", {
    next: "Correct the values in `request_body` as the sentences say and call again.",
    source: "the pages of the add and update calls",
  }),
  3002: input("Fields refused their values.", {
    next: `Correct these fields in \`request_body\` and call again. ${FIELDS}`,
    source: "the pages of the add and update calls",
  }),
  3020: input("The body is missing or incomplete.", {
    next: "Call again with mode get_request_schema to see what `request_body` must contain.",
  }),
  3060: refused("The account has reached its limit of records."),
  3070: input("The values are not valid.", {
    next: `Correct the values in \`request_body\` and call again. ${FIELDS}`,
  }),
  3090: input("The criteria are not valid. Check field link names, operators and quotes.", {
    role: "criteria",
    next: `Correct the criteria and call again. ${FIELDS}`,
  }),
  3100: missing("Nothing matches."),
  3190: missing("There is no record with this id.", { role: "record", lister: "FetchVendorRecords" }),
  3830: refused("This user may not read or write the files of this field."),
  3910: missing("The application has no forms.", { lister: "GetApplicationMetaInfo" }),
  3920: missing("The application has no pages.", { lister: "GetApplicationMetaInfo" }),
  3930: missing("The application has no reports.", { lister: "GetApplicationMetaInfo" }),
  3950: input("At most 200 records can be added at once.", {
    next: "Call again with at most 200 records, and with the others afterwards.",
  }),
  3960: input("More than 200 records match and nothing was changed. Narrow the criteria", { narrow: true }),
  3970: input("At most 200 records can be read at once.", {
    next: "Call again with a limit of at most 200.",
  }),
  4000: {
    meaning: "quota",
    hint: "The account has used up its API calls of the day.",
    next: "Tell the user. The calls of the next day, or of a larger plan, are needed.",
  },
  7120: missing("This job does not exist.", {
    role: "job",
    lister: "CreateBulkReadJob",
    source: "the pages of the bulk read calls",
  }),
  7130: refused("The job belongs to another user.", { source: "the pages of the bulk read calls" }),
  7150: input("This kind of report cannot be exported.", {
    role: "report",
    lister: "FetchVendorReportsMeta",
    source: "the pages of the bulk read calls",
  }),
  8011: input("A number has too many digits.", { next: `Shorten the number and call again. ${FIELDS}` }),
  8012: input("A number has the wrong format.", { next: `Correct the number and call again. ${FIELDS}` }),
  9210: { meaning: "fault", hint: "The platform does not offer its answer in this form." },
  9280: missing("Nothing matches.", { source: "the page of the get-records call of version 2.1" }),
};

/** Codes with another meaning under this HTTP status. */
const UNDER_STATUS: Readonly<Record<string, Entry>> = {
  "401 1000": {
    meaning: "unauthorized",
    hint: "The platform's identity service refused the request (IAM Error), or a mandatory parameter is missing or given twice.",
    next: "Check the parameters. If they are right, tell the user: the account at the platform may have a problem.",
  },
  "401 1060": {
    meaning: "input",
    hint: "A parameter is not valid, or not known to this call.",
    next: "Check the parameters and call again.",
  },
};

/** Undefined for an unknown code. */
export function entryOf(code: number | undefined, status?: number): Entry | undefined {
  if (code === undefined) return undefined;
  return UNDER_STATUS[`${status} ${code}`] ?? CODES[code];
}
