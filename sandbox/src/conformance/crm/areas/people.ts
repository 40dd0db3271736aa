import type { Area } from "../area.ts";

export const PEOPLE: Area = {
  operations: {
    usersStatus: { path: { id: "1" }, form: { status: "free" } },
    usersGet: { path: { id: "1" } },
    usersList: { finds: { "filter[groups]": { "": "manager" } }, findsNot: { "filter[groups]": { "": "nobody" } } },
    usersUserGroups: {},
    settingsGet: {},
    segmentsList: {},
  },
};
