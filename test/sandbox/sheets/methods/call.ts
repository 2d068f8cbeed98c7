// What a method of the stand-in gets to work with, and what it is.
import type { JsonRecord } from "../../chat/json";
import type { Library } from "../drive/library";
import type { Mask, Shape } from "../field-mask";
import type { Caller } from "../oauth/tokens";
import type { Fault } from "../types";

export interface MethodCall {
  readonly caller: Caller;
  /** Parts of the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: JsonRecord;
  /** What of the answer is wanted: "all" without a mask. */
  readonly mask: Mask;
  readonly hasMask: boolean;
  readonly library: Library;
  readonly fault: Fault | null;
  readonly now: () => number;
}

/** One method: its answer, whole. Refuses by throwing `PlatformError`. */
export interface Method {
  /** The platform's own name of it. */
  readonly id: string;
  readonly verb: "GET" | "POST" | "PUT";
  /** With a named group for each part. */
  readonly path: RegExp;
  /** Parameters of the query beside those that every method takes. */
  readonly parameters: readonly string[];
  /** Any one of these scopes will do. */
  readonly scopes: readonly string[];
  readonly quota?: "reads" | "writes";
  /** What the answer may hold; absent: it takes no mask. */
  readonly shape?: Shape;
  readonly run: (call: MethodCall) => JsonRecord;
}
