// Message timestamps: texts of seconds with six decimals, unique in a channel, compared exactly (never as floats).

const FORM = /^(\d{1,10})(?:\.(\d{1,6}))?$/;

/** Microseconds since 1970, or null when the text is no timestamp. Milliseconds (13 digits) are none. */
export function microseconds(ts: string): bigint | null {
  const match = FORM.exec(ts);
  if (match === null) return null;
  return BigInt(match[1] ?? "0") * 1_000_000n + BigInt((match[2] ?? "").padEnd(6, "0"));
}

/** A negative number when `left` is the earlier one. */
export function compareTimestamps(left: string, right: string): number {
  const difference = (microseconds(left) ?? 0n) - (microseconds(right) ?? 0n);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Makes timestamps from a clock (milliseconds); one counter, so two never collide even when the clock moves back. */
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
