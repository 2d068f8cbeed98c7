// Caps of callers, users and projects.
export { type LimitName, Limits, type OverLimit } from "./limits";
