// The few colours that the commands use.

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
}

const same = (text: string): string => text;

export const plainPaint: Paint = { bold: same, dim: same, red: same, green: same };

/** Real colours. Loaded only where somebody sees them. */
export async function paintFor(): Promise<Paint> {
  const { Chalk } = await import("chalk");
  const { bold, dim, red, green } = new Chalk({ level: 1 });
  return { bold, dim, red, green };
}
