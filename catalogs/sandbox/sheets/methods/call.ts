// The type of a method of the stand-in, and its context.
import type { JsonRecord } from "../../chat/json";
import type { Library } from "../drive/library";
import type { Mask, Shape } from "../field-mask";
import type { Caller } from "../oauth/tokens";
import type { PageFault } from "../types";

export interface MethodCall {
  readonly caller: Caller;
  /** Parts of the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: JsonRecord;
  /** The selected part of the answer: "all" without a mask. */
  readonly mask: Mask;
  readonly hasMask: boolean;
  readonly library: Library;
  readonly fault: PageFault | null;
  readonly now: () => number;
}

/** One method: returns the whole answer. Refuses by throwing `PlatformError`. */
export interface Method {
  /** The platform's name. */
  readonly id: string;
  readonly verb: "GET" | "POST" | "PUT";
  /** With a named group for each part. */
  readonly path: RegExp;
  /** Query parameters in addition to those of every method. */
  readonly parameters: readonly string[];
  /** Any one of these scopes will do. */
  readonly scopes: readonly string[];
  readonly quota?: "reads" | "writes";
  /** The fields of the answer; absent if it accepts no mask. */
  readonly shape?: Shape;
  readonly run: (call: MethodCall) => JsonRecord;
}
