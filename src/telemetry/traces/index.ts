// Traces by OTLP over HTTP.
export { openTraces, type Traces, type TracesOptions } from "./traces";
