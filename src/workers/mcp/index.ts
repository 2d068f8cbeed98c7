// Workers that are MCP servers.
export { mayRepeat, withTrust } from "./hints";
export { type McpKind, mcpKind } from "./kind";
export { GET_PROMPT, READ_RESOURCE } from "./names";
