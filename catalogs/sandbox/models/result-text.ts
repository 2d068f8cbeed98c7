// What the model says about the result of a tool.

const LONGEST = 600;

/** One sentence with the start of the result, or with the reason of a failure. */
export function resultText(result: string): string {
  const reason = failureOf(result);
  if (reason !== undefined) return `The tool did not run: ${reason}`;
  const shown = result.length > LONGEST ? `${result.slice(0, LONGEST)}…` : result;
  return `Done. The tool answered: ${shown}`;
}

function failureOf(result: string): string | undefined {
  try {
    const { error } = JSON.parse(result) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : undefined;
  } catch {
    return undefined;
  }
}
