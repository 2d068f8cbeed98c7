// What the emulator cannot keep of a message: a timestamp by the sandbox's clock, and seeded messages of any shape.
import { isRecord, record, text, type JsonRecord } from "./json";
import { TimestampSource } from "./timestamps";

/** Maps the emulator's timestamps to the ones that the outside sees, and back. */
export class MessageBook {
  private readonly outer = new Map<string, string>();
  private readonly inner = new Map<string, string>();
  private readonly seeded = new Map<string, JsonRecord>();
  private readonly source: TimestampSource;

  constructor(now: () => number) {
    this.source = new TimestampSource(now);
  }

  /** A fresh timestamp by the sandbox's clock. */
  nextTs(): string {
    return this.source.next();
  }

  /** The timestamp to show for one of the emulator's, given out on first sight. */
  outerTs(innerTs: string, ts?: string): string {
    const known = this.outer.get(innerTs);
    if (known !== undefined) return known;
    const given = ts ?? this.nextTs();
    this.outer.set(innerTs, given);
    this.inner.set(given, innerTs);
    return given;
  }

  /** The emulator's timestamp of a message that the outside names, or the text itself when it names none. */
  innerTs(outerTs: string): string {
    return this.inner.get(outerTs) ?? outerTs;
  }

  /** Shows `message` wherever the emulator has the message `innerTs`. */
  seed(innerTs: string, message: JsonRecord): void {
    this.outerTs(innerTs, text(message, "ts"));
    this.seeded.set(innerTs, message);
  }

  /** One of the emulator's messages as the outside sees it. */
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

/** Replies stay in their thread; only what was also sent to the channel stands in its history. */
export function isTopLevel(message: JsonRecord): boolean {
  const thread = text(message, "thread_ts");
  return thread === "" || thread === text(message, "ts") || message["subtype"] === "thread_broadcast";
}
