export { ToolSearch } from "./tool-search";
