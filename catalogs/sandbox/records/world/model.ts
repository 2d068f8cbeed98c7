// The contents of an account: applications with forms, reports and pages. Names are link names.
import type { Field, Values } from "./fields";

export interface Form {
  readonly link: string;
  readonly display: string;
  /** 1 form, 2 stateless form, which stores nothing. */
  readonly type: 1 | 2;
  readonly fields: readonly Field[];
  /** The validation script of the form: returns its objections. */
  readonly script?: (values: Values) => string[];
  /** The redirect of the form after adding or changing a record. */
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
  /** The owner. */
  readonly ownedBy: string;
  readonly applications: readonly Application[];
}

export const DATE_FORMAT = "dd-MMM-yyyy";
