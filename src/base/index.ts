// Shared by all areas: time, JSON, logging, redacted values.
export {
  callerIdFault,
  checkCallerId,
  checkUserId,
  isUserOfWorker,
  MAX_USER_ID,
  userIdFault,
  userOfWorker,
} from "./user-id";
export { type Alarm, setAlarm } from "./alarms";
export { C_LIBRARIES } from "./c-library";
export { type Clock, isFresh, nextTurn, systemClock, timestamp } from "./clock";
export { type DelayLimits, Delays } from "./delays";
export { isIpAddress, isLoopback } from "./hosts";
export { type Abortable, LazyAbort, signalOf } from "./lazy-abort";
export { memberText } from "./json-member";
export { canonicalJson } from "./canonical";
export { endOfString, exceededLimit, type JsonLimits } from "./json-text";
export {
  hasNul,
  isObject,
  jsonObjectIn,
  type Json,
  type JsonObject,
  JsonText,
  mayHoldHalves,
  parseJson,
  parseJsonPiece,
  parsePlainJson,
  parseShallowJson,
  present,
  wellFormed,
} from "./json";
export {
  createLog,
  type LeveledLog,
  type LineFormat,
  type Log,
  LOG_LEVELS,
  type LogFields,
  type LogLevel,
  type LogOptions,
  silentLog,
  unsafePrintSecrets,
} from "./log";
export { commandLine, lineFormat, type LogFormat } from "./log-format";
export { Redacted, reveal } from "./redacted";
export { visible, visibleJson, withoutHidden } from "./visible";
export { TimedCache } from "./timed-cache";
export { complaintOf } from "./complaint";
export { exposedMode } from "./exposed-mode";
export { environmentForOthers } from "./other-programs";
export { TrustedTime } from "./trusted-time";
export { nearest, typoOf } from "./nearest";
export { shellWord } from "./shell-word";
export { type PassesOn, type UnknownField, unknownFields, unknownMessage } from "./unknown-fields";
export { excerptOf } from "./excerpt";
export { closedList, nearestOf } from "./closed-list";
export { ruleOf, valueAt, type Violation } from "./rule-text";
export { headerText } from "./header-text";
export { netstrings } from "./netstrings";
export { inTurn, Places } from "./places";
export { RecentMap } from "./recent-map";
export { sentence } from "./sentence";
export { allEnded, WORK_KINDS, type WorkCounts, WorkInFlight, type WorkKind } from "./work";
export { withoutTrailingSlashes } from "./trailing";
export { checked, compileOnce, fieldErrors, withoutNulls } from "./check";
export { MAX_LIMIT, type Page, page, paging, type Paging, UNPAGED_LIMIT, wholePage } from "./page";
