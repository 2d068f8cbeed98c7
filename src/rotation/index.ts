// Rotation of root key and data keys.
export { type DataKeyRotation, type RootKeyRotation, Rotation } from "./service";
