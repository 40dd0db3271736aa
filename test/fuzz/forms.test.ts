import { formDoors } from "./doors.ts";
import { describeDoors } from "./rounds.ts";

describeDoors(formDoors);
