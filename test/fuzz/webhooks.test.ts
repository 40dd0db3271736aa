import { webhookDoors } from "./doors.ts";
import { describeDoors } from "./rounds.ts";

describeDoors(webhookDoors);
