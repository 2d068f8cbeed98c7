// What the model says about the result of a tool.

const LONGEST = 600;

/** One sentence with the start of the result. */
export function resultText(result: string): string {
  const shown = result.length > LONGEST ? `${result.slice(0, LONGEST)}…` : result;
  return `Done. The tool answered: ${shown}`;
}
