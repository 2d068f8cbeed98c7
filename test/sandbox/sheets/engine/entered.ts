// What somebody put into a cell.

export type Entered =
  | { readonly numberValue: number }
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly formulaValue: string };

export interface NumberFormat {
  readonly type: string;
  readonly pattern: string;
}

/** What a text becomes when it is typed: nothing, or a value and perhaps a format that comes with it. */
export interface Typed {
  readonly entered: Entered | undefined;
  readonly format: NumberFormat | undefined;
}
