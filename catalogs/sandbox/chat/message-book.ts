// Parts of messages that the emulator cannot store: timestamps of the sandbox's clock, and seeded messages of any shape.
import { isRecord, record, text, type JsonRecord } from "./json";
import { TimestampSource } from "./timestamps";

/** Maps the emulator's timestamps to public ones, and back. */
export class MessageBook {
  private readonly outer = new Map<string, string>();
  private readonly inner = new Map<string, string>();
  private readonly seeded = new Map<string, JsonRecord>();
  private readonly source: TimestampSource;

  constructor(now: () => number) {
    this.source = new TimestampSource(now);
  }

  /** A new timestamp of the sandbox's clock. */
  nextTs(): string {
    return this.source.next();
  }

  /** The public timestamp of one of the emulator's, created on first use. */
  outerTs(innerTs: string, ts?: string): string {
    const known = this.outer.get(innerTs);
    if (known !== undefined) return known;
    const given = ts ?? this.nextTs();
    this.outer.set(innerTs, given);
    this.inner.set(given, innerTs);
    return given;
  }

  /** The emulator's timestamp for a public one, or the text itself if it is unknown. */
  innerTs(outerTs: string): string {
    return this.inner.get(outerTs) ?? outerTs;
  }

  /** Replaces the emulator's message `innerTs` with `message`. */
  seed(innerTs: string, message: JsonRecord): void {
    this.outerTs(innerTs, text(message, "ts"));
    this.seeded.set(innerTs, message);
  }

  /** The public form of an emulator's message. */
  show(message: JsonRecord): JsonRecord {
    const innerTs = text(message, "ts");
    const seeded = this.seeded.get(innerTs);
    if (seeded !== undefined) return seeded;
    const ts = this.outerTs(innerTs);
    const thread = text(message, "thread_ts");
    const edited = record(message, "edited");
    return {
      ...message,
      ts,
      ...(thread === "" ? {} : { thread_ts: this.outerTs(thread) }),
      ...(isRecord(message["edited"]) ? { edited: { ...edited, ts } } : {}),
    };
  }
}

/** Replies stay in their thread; only those also sent to the channel are in its history. */
export function isTopLevel(message: JsonRecord): boolean {
  const thread = text(message, "thread_ts");
  return thread === "" || thread === text(message, "ts") || message["subtype"] === "thread_broadcast";
}
