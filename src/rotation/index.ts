// Rotation of root key and data keys.
export { Rotation } from "./service";
