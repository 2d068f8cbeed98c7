// A bound on a figure, and whether a figure meets it.

export interface Bound {
  kind: "at least" | "at most";
  value: number;
  /** `×` for ratios, `MB` for sizes. */
  unit: "×" | "MB" | "ms";
}

export function atLeast(value: number): Bound {
  return { kind: "at least", value, unit: "×" };
}

export function atMost(value: number, unit: Bound["unit"] = "×"): Bound {
  return { kind: "at most", value, unit };
}

/** Undefined if nothing was measured. */
export function isMet({ kind, value }: Bound, figure: number | undefined): boolean | undefined {
  if (figure === undefined) return undefined;
  return kind === "at least" ? figure >= value : figure <= value;
}

export function boundText({ kind, value, unit }: Bound): string {
  return `${kind === "at least" ? "≥" : "≤"} ${figureText(value, unit)}`;
}

/** `0.62 ×`, `61.4 MB`. */
export function figureText(figure: number, unit: Bound["unit"]): string {
  return `${figure.toFixed(unit === "×" ? 2 : 1)} ${unit}`;
}
