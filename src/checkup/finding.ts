// The result of a check.

export interface Finding {
  /** The subject of the check: `data folder`, `root key` … */
  check: string;
  /** `warning`: works, but should be improved. */
  status: "ok" | "warning" | "problem";
  message: string;
  /** What to do about it. */
  fix?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, status: "ok", message });

export const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  status: "warning",
  message,
  fix,
});

export const problem = (check: string, message: string, fix: string): Finding => ({
  check,
  status: "problem",
  message,
  fix,
});

/** The finding for an error, whose first sentence is the problem and whose other sentences are the fix. */
export function refused(check: string, error: unknown): Finding {
  const text = error instanceof Error ? error.message : "unknown reason";
  const [, message = text, fix = ""] = /^(.*?[.!?])\s+(?=[A-Z])(.*)$/s.exec(text) ?? [];
  return problem(check, message, fix === "" ? "Correct it and run this again." : fix);
}
