// All operations, one row per tool.
import type { Operation } from "../operation";
import { BULK } from "./bulk";
import { CHANGES } from "./changes";
import { META } from "./meta";
import { RECORDS } from "./records";

export const OPERATIONS: readonly Operation[] = [...META, ...RECORDS, ...CHANGES, ...BULK];
