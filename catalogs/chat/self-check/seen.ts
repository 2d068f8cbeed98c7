// What every check tells about an answer.
import { codeWord, type Seen } from "../../../src/tools";
import { CODES } from "../upstream/codes";
import type { Asked } from "./probe";

export function codeSeen({ status, ok, code }: Asked): Seen {
  if (ok) return { status };
  return {
    status,
    code: codeWord(code),
    code_is_listed: code !== undefined && CODES.has(code),
  };
}
