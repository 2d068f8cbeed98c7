// The entered content of a cell.

export type Entered =
  | { readonly numberValue: number }
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly formulaValue: string };

export interface NumberFormat {
  readonly type: string;
  readonly pattern: string;
}

/** The content of a typed text: nothing, or a value with an optional format. */
export interface Typed {
  readonly entered: Entered | undefined;
  readonly format: NumberFormat | undefined;
}
