// The platform's answer codes by their meaning to the caller, from its public documentation. The texts that come with the
// codes are not part of its API contract.

import type { Role } from "../roles";

/** The only success, whatever the HTTP status. */
export const DONE = 3000;
/** Nothing matches, or the page is past the end. */
export const NO_MATCH = 3100;
/** The same in newer answers. */
const NO_MATCH_TOO = 9280;

/** Whether a code means that nothing matches. */
export function meansNoMatch(code: number | undefined): boolean {
  return code === NO_MATCH || code === NO_MATCH_TOO;
}

/** One code for a missing, an invalid and an expired token. */
export const TOKEN_REFUSED = 1030;
export const SCOPE_MISSING = 2945;
/** Too many calls per minute or at the same time. */
export const RATE_LIMITED = 2955;

export type Meaning = "missing" | "quota" | "refused" | "input";

export interface Entry {
  meaning: Meaning;
  /** Added to the platform's message. */
  hint?: string;
  /** What does not exist, or cannot be used. */
  role?: Role | "criteria";
  /** The tool that lists what exists instead. */
  lister?: string;
  /** The hint, which ends with the flag of the tool that processes a part, if it has one and it is not set. */
  narrow?: string;
}

const CODES: Readonly<Record<number, Entry>> = {
  1000: { meaning: "input", hint: "The address or a parameter is not valid." },
  1040: {
    meaning: "missing",
    role: "owner",
    hint: "This account owner does not exist.",
    lister: "GetApplicationMetaInfo",
  },
  1060: { meaning: "refused", hint: "The application is not shared with this user." },
  1080: { meaning: "refused", hint: "The application is disabled." },
  1090: { meaning: "missing", hint: "This component does not exist.", lister: "FetchVendorAppSections" },
  1130: { meaning: "refused", hint: "API access is disabled for this user's permission set." },
  2892: {
    meaning: "missing",
    role: "application",
    hint: "This application does not exist.",
    lister: "GetApplicationMetaInfo",
  },
  2893: {
    meaning: "missing",
    role: "form",
    hint: "This form does not exist.",
    lister: "FetchVendorFormMetaInformation",
  },
  2894: {
    meaning: "missing",
    role: "report",
    hint: "This report does not exist.",
    lister: "FetchVendorReportsMeta",
  },
  2896: { meaning: "refused", hint: "This user may not delete these records." },
  2897: { meaning: "refused", hint: "This user may not change these records." },
  2898: { meaning: "refused", hint: "This user may not see these records." },
  2899: { meaning: "refused", hint: "This user may not add records here." },
  2930: { meaning: "input", hint: "The account may use another version of the API." },
  2933: { meaning: "refused", hint: "The application is not shared with this user." },
  2965: { meaning: "refused", hint: "The form accepts no more entries." },
  3001: { meaning: "input", hint: "The form's validation refused the values." },
  3002: { meaning: "input", hint: "Fields refused their values." },
  3020: { meaning: "input", hint: "The body is missing or incomplete." },
  3060: { meaning: "refused", hint: "The account has reached its limit of records." },
  3070: { meaning: "input", hint: "The values are not valid." },
  3090: {
    meaning: "input",
    role: "criteria",
    hint: "The criteria are not valid. Check field link names, operators and quotes.",
  },
  3100: { meaning: "missing", hint: "Nothing matches." },
  3190: {
    meaning: "missing",
    role: "record",
    hint: "There is no record with this id.",
    lister: "FetchVendorRecords",
  },
  3910: { meaning: "missing", hint: "The application has no forms." },
  3920: { meaning: "missing", hint: "The application has no pages." },
  3930: { meaning: "missing", hint: "The application has no reports." },
  3950: { meaning: "input", hint: "At most 200 records can be added at once." },
  3960: {
    meaning: "input",
    narrow: "More than 200 records match and nothing was changed. Narrow the criteria",
  },
  3970: { meaning: "input", hint: "At most 200 records can be read at once." },
  4000: { meaning: "quota", hint: "The account has used up its API calls of the day." },
  7120: { meaning: "missing", role: "job", hint: "This job does not exist.", lister: "CreateBulkReadJob" },
  7130: { meaning: "refused", hint: "The job belongs to another user." },
  7150: { meaning: "input", role: "report", hint: "This kind of report cannot be exported." },
  8011: { meaning: "input", hint: "A number has too many digits." },
  8012: { meaning: "input", hint: "A number has the wrong format." },
  [NO_MATCH_TOO]: { meaning: "missing", hint: "Nothing matches." },
};

/** Undefined for an unknown code. */
export function entryOf(code: number | undefined): Entry | undefined {
  return code === undefined ? undefined : CODES[code];
}
