// What a check found.

export interface Finding {
  /** What was looked at: `data folder`, `root key` … */
  check: string;
  /** `warning`: works, but not as it should. */
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

/** A refusal of ours, whose first sentence says what is wrong and whose others what to do. */
export function refused(check: string, error: unknown): Finding {
  const text = error instanceof Error ? error.message : "unknown reason";
  const [, message = text, fix = ""] = /^(.*?[.!?])\s+(?=[A-Z])(.*)$/s.exec(text) ?? [];
  return problem(check, message, fix === "" ? "Correct it and run this again." : fix);
}
