// The page of metrics (docs/metrics.md).
export { Metrics, type MetricsParts, type Page } from "./service";
