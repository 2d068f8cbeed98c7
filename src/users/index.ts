// What is stored about users, over all areas.
export type { ErasedUser, UserExport, UsersFilter, UsersPage, UserState } from "./schema";
export { Users } from "./service";
