// What an account holds: applications with forms, reports and pages. Names are link names.
import type { Field, Values } from "./fields";

export interface Form {
  readonly link: string;
  readonly display: string;
  /** 1 form, 2 stateless form, which keeps nothing. */
  readonly type: 1 | 2;
  readonly fields: readonly Field[];
  /** The validation script of the form: what it objects to. */
  readonly script?: (values: Values) => string[];
  /** Where the form leads after a record was added or changed. */
  readonly opens?: { readonly type: string; readonly url: string };
}

export interface Report {
  readonly link: string;
  readonly display: string;
  /** The platform's number for the kind of report. */
  readonly type: number;
  readonly form: string;
  /** Fields of the quick view. The detail view shows all. */
  readonly columns: readonly string[];
  /** Charts and pivots are not. */
  readonly exportable: boolean;
}

export interface Page {
  readonly link: string;
  readonly display: string;
}

export interface Application {
  readonly link: string;
  readonly name: string;
  /** Names of people; the owner sees all. */
  readonly sharedWith: readonly string[];
  readonly forms: readonly Form[];
  readonly reports: readonly Report[];
  readonly pages: readonly Page[];
}

export interface Account {
  /** Name of the account's owner in addresses. */
  readonly owner: string;
  /** Who that is. */
  readonly ownedBy: string;
  readonly applications: readonly Application[];
}

export const DATE_FORMAT = "dd-MMM-yyyy";
