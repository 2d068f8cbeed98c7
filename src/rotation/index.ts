// Rotation of root key and data keys.
export { type DataKeyRotation, Rotation } from "./service";
