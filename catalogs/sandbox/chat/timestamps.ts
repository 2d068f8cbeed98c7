// Message timestamps: seconds with six decimals as text, unique in a channel, compared exactly (not as floats).

const FORM = /^(\d{1,10})(?:\.(\d{1,6}))?$/;

/** Microseconds since 1970, or null if the text is not a timestamp. Milliseconds (13 digits) are invalid. */
export function microseconds(ts: string): bigint | null {
  const match = FORM.exec(ts);
  if (match === null) return null;
  return BigInt(match[1] ?? "0") * 1_000_000n + BigInt((match[2] ?? "").padEnd(6, "0"));
}

/** A negative number if `left` is earlier. */
export function compareTimestamps(left: string, right: string): number {
  const difference = (microseconds(left) ?? 0n) - (microseconds(right) ?? 0n);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Creates timestamps from a clock (milliseconds) and a counter, so that they are unique even if the clock moves back. */
export class TimestampSource {
  private count = 0;

  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  next(): string {
    this.count += 1;
    return `${Math.floor(this.now() / 1000)}.${String(this.count % 1_000_000).padStart(6, "0")}`;
  }
}
