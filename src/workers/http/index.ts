// Workers over HTTP.
export { httpKind } from "./kind";
