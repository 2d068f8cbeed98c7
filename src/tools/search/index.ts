export { type Found, ToolSearch, worthShowing } from "./tool-search";
