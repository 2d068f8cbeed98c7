// Shared by all areas: time, JSON, logging, redacted values.
export { checkUserId, MAX_USER_ID, userIdFault } from "./user-id";
export { type Alarm, setAlarm } from "./alarms";
export { type Clock, isFresh, systemClock, timestamp } from "./clock";
export { type DelayLimits, Delays } from "./delays";
export { isLoopback } from "./hosts";
export { type Abortable, LazyAbort, signalOf } from "./lazy-abort";
export { endOfString, exceededLimit, type JsonLimits } from "./json-text";
export {
  isObject,
  type Json,
  type JsonObject,
  JsonText,
  parseJson,
  parsePlainJson,
  parseShallowJson,
  present,
} from "./json";
export {
  createLog,
  type Log,
  type LogFields,
  type LogLevel,
  type LogOptions,
  silentLog,
  unsafePrintSecrets,
} from "./log";
export { Redacted, reveal } from "./redacted";
export { visible, visibleJson } from "./visible";
export { TimedCache } from "./timed-cache";
export { environmentForOthers } from "./other-programs";
export { TrustedTime } from "./trusted-time";
export { nearest } from "./nearest";
export { netstrings } from "./netstrings";
export { inTurn, Places } from "./places";
export { RecentMap } from "./recent-map";
export { withoutTrailingSlashes } from "./trailing";
export { checked, compileOnce, fieldErrors, hasNul } from "./check";
export { MAX_LIMIT, type Page, page, paging, type Paging, UNPAGED_LIMIT, wholePage } from "./page";
