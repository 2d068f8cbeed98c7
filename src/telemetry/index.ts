// What the code reports about its work. Every area uses this one, so it imports only `base`: what an observer needs of other
// areas, such as the outbound client, is passed to it.
export {
  type Activities,
  DROP_REASONS,
  type DropReason,
  type End,
  type Entry,
  type Events,
  HOST_GROUPS,
  type HostGroup,
  type Kind,
  type Measures,
  type Start,
  type TraceHeaders,
} from "./activities";
export { Activity, type Content } from "./activity";
export type { Series } from "./endings";
export { type Meter, noTelemetry, Telemetry, type Tracer, type TraceTarget } from "./telemetry";
export type { Traces, TracesOptions } from "./traces";

/** The module of traces, which is loaded only if there is a collector. */
export const loadTraces = () => import("./traces");
