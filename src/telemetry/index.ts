// What the code reports about its work. Every area uses this one, so it imports only `base`: what an observer needs of other
// areas, such as the outbound client, is passed to it.
export {
  type Activities,
  type End,
  type Entry,
  type Events,
  HOST_GROUPS,
  type HostGroup,
  type Kind,
  type Measures,
  type Start,
} from "./activities";
export { Activity, type Meter, noTelemetry, type Span, Telemetry, type Tracer } from "./telemetry";
