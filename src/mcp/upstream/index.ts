// What MCP servers behind a gateway offer, as its clients see it.
export { isListMethod, isRead, Upstreams } from "./service";
